// Gives the elements of the pages their behaviour. The stage comes first: the instruments look for it.

import { Copy } from "./elements/ra-copy.ts";
import { CountersPanel } from "./elements/ra-counters.ts";
import { DeviceChart } from "./elements/ra-device-chart.ts";
import { Folios } from "./elements/ra-folios.ts";
import { Log } from "./elements/ra-log.ts";
import { PageMap } from "./elements/ra-page-map.ts";
import { Patches } from "./elements/ra-patches.ts";
import { Progress } from "./elements/ra-progress.ts";
import { Settings } from "./elements/ra-settings.ts";
import { Stage } from "./elements/ra-stage.ts";
import { Theme } from "./elements/ra-theme.ts";
import { Transport } from "./elements/ra-transport.ts";
import { Upload } from "./elements/ra-upload.ts";
import { Why } from "./elements/ra-why.ts";
import { WindowChart } from "./elements/ra-window-chart.ts";
import { explainTerms } from "./tips.ts";

const ELEMENTS: ReadonlyArray<readonly [string, CustomElementConstructor]> = [
  ["ra-theme", Theme],
  ["ra-stage", Stage],
  ["ra-transport", Transport],
  ["ra-window-chart", WindowChart],
  ["ra-page-map", PageMap],
  ["ra-device-chart", DeviceChart],
  ["ra-why", Why],
  ["ra-log", Log],
  ["ra-counters", CountersPanel],
  ["ra-folios", Folios],
  ["ra-copy", Copy],
  ["ra-patches", Patches],
  ["ra-settings", Settings],
  ["ra-upload", Upload],
  ["ra-progress", Progress],
];

for (const [name, element] of ELEMENTS) customElements.define(name, element);
explainTerms();
