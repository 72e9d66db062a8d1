// Short vibrations of a phone for certain moments. The values are milliseconds on, off, on.

const patterns = {
  signedIn: [20],
  saved: [15],
  error: [40, 60, 40],
  deletionWarning: [30, 40, 30],
  deleted: [30],
  refreshed: [10],
};

/** @param {keyof typeof patterns} moment */
export function vibrate(moment) {
  // Before the person has touched the page, browsers refuse to vibrate and log a message.
  if (navigator.vibrate && navigator.userActivation?.hasBeenActive) navigator.vibrate(patterns[moment]);
}
