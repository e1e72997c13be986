//! Breaking lines for mails.

/// Columns of a mail that survive quoting.
pub const COLUMNS: usize = 72;

/// The text in lines of at most `COLUMNS` characters, each with `indent` in front, the first with `first`.
pub fn wrap(text: &str, first: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut line = first.to_string();
    let mut empty = true;
    for word in text.split_whitespace() {
        let space = usize::from(!empty);
        if !empty && line.chars().count() + space + word.chars().count() > COLUMNS {
            out.push_str(line.trim_end());
            out.push('\n');
            line = indent.to_string();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_a_mail_allows() {
        let text = wrap(&"the window doubles and its end is cut ".repeat(12), "A: ", "   ");
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        assert!(text.starts_with("A: the") && text.lines().nth(1).unwrap().starts_with("   "));
    }
}
