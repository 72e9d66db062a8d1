// What the kinds of alarms mean. The service uses the same texts in messages.

import { t, text } from './translate.js';

/** The texts by the kind in lowercase letters. */
const kinds = {
  sos: text('SOS'),
  panic: text('panic button'),
  panicbutton: text('panic button'),
  emergency: text('emergency'),
  help: text('call for help'),
  duress: text('duress'),
  medical: text('medical emergency'),
  mandown: text('person down'),
  fall: text('fall'),
  falldown: text('fall'),
  falldetected: text('fall'),
  accident: text('accident'),
  crash: text('crash'),
  fire: text('fire'),
  general: text('general alarm'),
  lowbattery: text('low battery'),
  lowpower: text('low power'),
  powercut: text('power cut'),
  poweroff: text('switched off'),
  tampering: text('tampering'),
  removing: text('taken off'),
  overspeed: text('too fast'),
  vibration: text('vibration'),
  tow: text('towing'),
};

/**
 * What an alarm's kind means, such as “fall, low battery” for `fallDown,lowBattery`. An unknown kind stays as it is.
 *
 * @param {string} kind
 */
export const alarmKind = (kind) => kind.split(',').filter(Boolean).map((word) => {
  const key = word.toLowerCase().replace(/\P{L}/gu, '');
  return Object.hasOwn(kinds, key) ? t(kinds[key]) : word;
}).join(', ');
