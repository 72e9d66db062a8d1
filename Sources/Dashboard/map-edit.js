// The tool of the map view that creates, edits and deletes geofences.

import { beingRemoved, details } from './edit-details.js';
import { drawing } from './edit-drawing.js';
import { panel } from './edit-form.js';
import { onOverlaps, overlaps } from './edit-overlaps.js';
import { editShape } from './edit-shape.js';
import { beginChange, beginNew, editing, endUntouched, isEditing, onEdit } from './edit-state.js';
import { L } from './map-canvas.js';
import { outdateListing } from './map-listing.js';
import { outlinesOf } from './map-shapes.js';
import { addTool, mapState, redrawMap } from './map-state.js';
import { button } from './parts.js';
import { whyReadOnly } from './state.js';
import { t } from './translate.js';

/** The layers on the map while the view is shown. */
let layers = [];

addTool({
  actions: () => {
    hide();
    return [
      button(t('Draw Circle'), () => beginNew('circle'), { iconName: 'edit.circle', isWrite: true, id: 'draw-circle' }),
      button(t('Draw Polygon'), () => beginNew('polygons'), { iconName: 'edit.polygon', isWrite: true, id: 'draw-polygon' }),
    ];
  },
  details,
  panel: () => {
    hide();
    return panel();
  },
  isActive: isEditing,
  requested([kind, id, part]) {
    endUntouched();
    if (kind === 'geofence' && part === 'edit' && !isEditing() && !whyReadOnly()) beginChange(id);
  },
  started(map) {
    layers = [others(map), editShape(map), drawing(map)];
    hide();
  },
  stopped() {
    for (const layer of layers) layer.remove();
    layers = [];
  },
});

onEdit(refresh);
onOverlaps(refresh);

function refresh() {
  hide();
  for (const layer of layers) layer.refresh();
}

/** Hides the geofences on the map that are being edited or deleted. */
function hide() {
  const wanted = new Set(beingRemoved());
  if (editing.draft?.base) wanted.add(editing.draft.base.id);
  const { hiddenGeofences } = mapState;
  if (wanted.size === hiddenGeofences.size && [...wanted].every((id) => hiddenGeofences.has(id))) return;
  hiddenGeofences.clear();
  for (const id of wanted) hiddenGeofences.add(id);
  outdateListing();
  redrawMap();
}

/**
 * Highlights the geofences that the draft overlaps, and shows the version of the geofence that somebody else has saved.
 *
 * @param {L.Map} map
 */
function others(map) {
  const renderer = L.svg({ padding: 0.5 });
  const group = L.layerGroup().addTo(map);
  let shown = '';
  const add = (outlines, className) => group.addLayer(L.polygon(outlines, { renderer, className, interactive: false, smoothFactor: 0 }));
  const show = () => {
    const met = editing.draft ? overlaps().filter(({ b }) => mapState.geofences.has(b)) : [];
    const theirs = editing.theirs?.geofence;
    const wanted = [...met.map(({ b, relation }) => `${b} ${relation}`), editing.theirs?.tag].join();
    if (wanted === shown) return;
    shown = wanted;
    group.clearLayers();
    // A geofence that contains the draft may fill the whole map.
    for (const { b, relation } of met) add(mapState.geofences.get(b).outlines, relation === 'within' ? 'edit-overlapped around' : 'edit-overlapped');
    if (theirs) add(outlinesOf(theirs), 'edit-theirs');
  };
  show();
  return { refresh: show, remove: () => group.remove() };
}
