// A phone's short vibrations, for exactly these moments. Milliseconds on, off, on.

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
  // Browsers refuse it, with a message in the console, until the person has touched the page.
  if (navigator.vibrate && navigator.userActivation?.hasBeenActive) navigator.vibrate(patterns[moment]);
}
