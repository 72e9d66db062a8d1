// The words of the map view.

import { addWords } from './translate.js';

addWords({
  'map.label': ['Map', 'Harita'],
  'map.grid': ['Grid {length}', 'Kare {length}'],
  'map.zoomIn': ['Zoom in', 'Yakınlaştır'],
  'map.zoomOut': ['Zoom out', 'Uzaklaştır'],
});
