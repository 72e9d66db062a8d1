// The types of events, and how each is shown.

import { text } from './translate.js';

/**
 * The types, in the order of a selection: the icon and the color tone, the name, the sentence about what happened, and the duration. Alarms
 * and missed events have other sentences.
 */
export const types = {
  enter: { look: ['arrow.enter', 'good'], name: text('Entered'), sentence: text('{device} entered {geofence}') },
  exit: { look: ['arrow.exit', 'accent'], name: text('Left'), sentence: text('{device} left {geofence}'), duration: text('after {time}') },
  dwell: { look: ['dwell', 'neutral'], name: text('Stayed'), sentence: text('{device} has stayed in {geofence}'), duration: text('for {time}') },
  silent: { look: ['bell.slash', 'warning'], name: text('Silent'), sentence: text('{device} is silent'), duration: text('no report for {time}') },
  returned: {
    look: ['checkmark.circle', 'good'], name: text('Reporting again'), sentence: text('{device} is reporting again'), duration: text('after {time} of silence'),
  },
  alarm: { look: ['exclamationmark.octagon', 'bad'], name: text('Alarm') },
  missed: { look: ['clock.badge.exclamationmark', 'warning'], name: text('Missed') },
  retracted: {
    look: ['arrow.counterclockwise', 'warning'], name: text('Retracted'), sentence: text('A wrong event of {device} and {geofence} was retracted'),
  },
};
