//! Fewer values than pixels: each pixel keeps its smallest and its largest value, so that no spike is lost.

/// The values in order of x, thinned to two a pixel.
pub(crate) fn min_max(points: &[(f64, f64)], min: f64, max: f64, px: u32) -> Vec<(f64, f64)> {
    if points.len() <= 2 * px as usize || max <= min {
        return points.to_vec();
    }
    let bin = |x: f64| ((x - min) / (max - min) * f64::from(px)).clamp(0.0, f64::from(px - 1)) as u32;
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(2 * px as usize);
    let mut at = 0;
    while at < points.len() {
        let pixel = bin(points[at].0);
        let end = at + points[at..].iter().take_while(|(x, _)| bin(*x) == pixel).count().max(1);
        let part = &points[at..end];
        let by_value = |left: &&(f64, f64), right: &&(f64, f64)| left.1.total_cmp(&right.1);
        let (low, high) = (part.iter().min_by(by_value), part.iter().max_by(by_value));
        let (Some(low), Some(high)) = (low, high) else { break };
        let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        kept.push(*first);
        if first != second {
            kept.push(*second);
        }
        at = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extremes_survive_and_pixels_bound_the_result(values in proptest::collection::vec(0u32..1000, 1..3000), px in 16u32..200) {
            let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(x, y)| (x as f64, f64::from(*y))).collect();
            let kept = min_max(&points, 0.0, points.len() as f64, px);
            prop_assert!(kept.len() <= points.len().max(2 * px as usize));
            let largest = |points: &[(f64, f64)]| points.iter().map(|point| point.1 as u32).max();
            let smallest = |points: &[(f64, f64)]| points.iter().map(|point| point.1 as u32).min();
            prop_assert_eq!(largest(&kept), largest(&points));
            prop_assert_eq!(smallest(&kept), smallest(&points));
            prop_assert!(kept.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        }
    }
}
