// What the kinds of alarms mean, by the kind in lowercase letters. The service uses the same words in messages.

const kinds = {
  sos: ['SOS', 'SOS'],
  panic: ['panic button', 'panik düğmesi'],
  panicbutton: ['panic button', 'panik düğmesi'],
  emergency: ['emergency', 'acil durum'],
  help: ['call for help', 'yardım çağrısı'],
  duress: ['duress', 'zor durumda'],
  medical: ['medical emergency', 'acil sağlık durumu'],
  mandown: ['person down', 'yerde yatan kişi'],
  fall: ['fall', 'düşme'],
  falldown: ['fall', 'düşme'],
  falldetected: ['fall', 'düşme'],
  accident: ['accident', 'kaza'],
  crash: ['crash', 'çarpışma'],
  fire: ['fire', 'yangın'],
  general: ['general alarm', 'genel alarm'],
  lowbattery: ['low battery', 'pil azaldı'],
  lowpower: ['low power', 'güç azaldı'],
  powercut: ['power cut', 'güç kesildi'],
  poweroff: ['switched off', 'kapatıldı'],
  tampering: ['tampering', 'kurcalama'],
  removing: ['taken off', 'çıkarıldı'],
  overspeed: ['too fast', 'aşırı hız'],
  vibration: ['vibration', 'titreşim'],
  tow: ['towing', 'çekilme'],
};

/** Languages in the order of the words. */
const languages = ['en', 'tr'];

/**
 * What an alarm's kind means, such as “fall, low battery” for `fallDown,lowBattery`. An unknown kind stays as it is.
 *
 * @param {string} kind
 * @param {string} language
 */
export const alarmKind = (kind, language) => kind.split(',').filter(Boolean).map((word) =>
  kinds[word.toLowerCase().replace(/\P{L}/gu, '')]?.[languages.indexOf(language)] ?? word).join(', ');
