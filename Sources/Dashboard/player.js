// The playback state of the track player.

/** The playback speeds: seconds of the track per second. */
export const speeds = [1, 5, 15, 60, 300, 900, 3600];

/** The maximum number of seconds between two frames that is played, so that playback does not jump after the page was in the background. */
const longestFrame = 0.25;

export class Player {
  /**
   * @param {() => void} onMove Called when the current moment has changed. @param {() => void} onChange Called when playback starts or
   * stops.
   */
  constructor(onMove, onChange) {
    Object.assign(this, { onMove, onChange, track: null, events: [], moment: 0, speed: 60, isPlaying: false, selected: null, skipped: 0, frame: 0 });
  }

  /**
   * Sets the track, or an extended version of it.
   *
   * @param {{track: import('./track.js').Track, events: object[]}} loaded
   * @param {number|null} moment The new current moment; null to keep it.
   */
  take({ track, events }, moment) {
    Object.assign(this, { track, events });
    if (moment !== null) this.moment = moment;
  }

  get index() { return this.track ? this.track.indexAt(this.moment) : -1; }

  /** @param {number} moment Milliseconds since 1970. */
  seek(moment) {
    this.moment = Math.min(this.track.ends, Math.max(this.track.begins, moment));
    this.selected = null;
    this.skipped = 0;
    this.onMove();
  }

  /** Moves to an event and selects it. @param {object} event */
  choose(event) {
    this.pause();
    this.seek(Date.parse(event.occurredAt));
    this.selected = event;
    this.onMove();
    this.onChange();
  }

  /** Moves by a number of positions. @param {number} steps */
  step(steps) { this.seek(this.track.times[Math.max(0, Math.min(this.track.count - 1, this.index + steps))]); }

  /** Moves to the next or the previous event. @param {1|-1} direction */
  stepEvent(direction) {
    const at = (event) => Date.parse(event.occurredAt);
    const next = direction > 0 ? this.events.find((event) => at(event) > this.moment) : this.events.findLast((event) => at(event) < this.moment);
    if (next) this.choose(next);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.moment >= this.track.ends) this.seek(this.track.begins);
    this.isPlaying = true;
    let last = performance.now();
    const tick = (time) => {
      const seconds = Math.min(longestFrame, Math.max(0, (time - last) / 1000));
      last = time;
      this.advance(seconds * this.speed);
      if (this.isPlaying) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
    this.onChange();
  }

  advance(seconds) {
    const before = this.moment;
    const { moment, skipped } = this.track.advance(before, seconds);
    this.moment = moment;
    if (skipped) this.skipped = skipped;
    const passed = this.events.findLast((event) => Date.parse(event.occurredAt) > before && Date.parse(event.occurredAt) <= moment);
    if (passed) this.selected = passed;
    this.onMove();
    if (passed) this.onChange();
    if (moment >= this.track.ends) this.pause();
  }

  pause() {
    cancelAnimationFrame(this.frame);
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.onChange();
  }
}
