// A track in memory: 100,000 positions and more, as plain arrays of numbers. Pure.

import { mercator } from './map-shapes.js';

/** What is to be said of a position. */
export const marks = { late: 1, coarse: 2, jump: 4, invalid: 8 };

/** Seconds between two positions from which on, as a rule, nothing is known of the time between them. */
const usualGap = 600;
/** A device that seldom sends is known over so many of its usual intervals. */
const gapFactor = 4;
/** So many intervals are enough to know the usual one. */
const sampled = 1000;

/** The numbers that hold where a device's policy says nothing. */
export const usualLimits = { maxSpeed: 340, maxAccuracy: 250 };

const earthRadius = 6_371_008.8;

/** A track of one device, in order of time. */
export class Track {
  constructor(limits = usualLimits) {
    this.limits = limits;
    this.count = 0;
    /** How many positions each mark is said of. */
    this.counts = { late: 0, coarse: 0, jump: 0, invalid: 0 };
    this.times = new Float64Array(0);
    this.grow(1024);
    /** The last position that is believed. */
    this.believed = -1;
    /** Seconds between two positions from which on nothing is known of the time between them. */
    this.gap = usualGap;
  }

  grow(length) {
    const copy = (Type, old) => {
      const longer = new Type(length);
      if (old) longer.set(old.subarray(0, this.count));
      return longer;
    };
    /** Milliseconds since 1970. */
    this.times = copy(Float64Array, this.times);
    /** Places on the Mercator map of the world. */
    this.x = copy(Float64Array, this.x);
    this.y = copy(Float64Array, this.y);
    this.latitudes = copy(Float64Array, this.latitudes);
    this.longitudes = copy(Float64Array, this.longitudes);
    /** Metres; NaN where it is not said. So are metres a second, and the charge of 1. */
    this.accuracies = copy(Float32Array, this.accuracies);
    this.speeds = copy(Float32Array, this.speeds);
    this.batteries = copy(Float32Array, this.batteries);
    this.marks = copy(Uint8Array, this.marks);
  }

  /**
   * Adds positions that follow those that are there.
   *
   * @param {object[]} fixes As the service writes them.
   */
  append(fixes) {
    if (this.count + fixes.length > this.times.length) this.grow(Math.max(this.count + fixes.length, 2 * this.times.length));
    for (const fix of fixes) {
      const index = this.count;
      this.times[index] = Date.parse(fix.timestamp);
      this.latitudes[index] = fix.latitude;
      // Across the antimeridian the line goes on, and not around the world.
      const turn = index ? 360 * Math.round((this.longitudes[index - 1] - fix.longitude) / 360) : 0;
      this.longitudes[index] = fix.longitude + turn;
      [this.x[index], this.y[index]] = mercator(fix.latitude, this.longitudes[index]);
      this.accuracies[index] = fix.accuracy ?? NaN;
      this.speeds[index] = fix.speed ?? NaN;
      this.batteries[index] = fix.battery ?? NaN;
      this.count += 1;
      this.mark(index, fix);
    }
    this.gap = Math.max(usualGap, gapFactor * this.usualInterval());
  }

  /** The median of the seconds between two positions, by a part of them. */
  usualInterval() {
    const step = Math.max(1, Math.floor(this.count / sampled));
    const intervals = [];
    for (let index = 1; index < this.count; index += step) intervals.push((this.times[index] - this.times[index - 1]) / 1000);
    intervals.sort((a, b) => a - b);
    return intervals[Math.floor(intervals.length / 2)] ?? 0;
  }

  mark(index, fix) {
    const say = (name) => {
      this.marks[index] |= marks[name];
      this.counts[name] += 1;
    };
    if (fix.late) say('late');
    if (fix.accuracy > this.limits.maxAccuracy) say('coarse');
    if (fix.valid === false) return say('invalid');
    const isFar = (from) => this.distance(from, index) / Math.max(1, (this.times[index] - this.times[from]) / 1000) > this.limits.maxSpeed;
    if (this.believed < 0 || !isFar(this.believed)) {
      this.believed = index;
    } else if (this.marks[index - 1] & marks.jump && !isFar(index - 1)) {
      // The next one agrees with the jump: the device is there.
      this.believed = index;
    } else {
      say('jump');
    }
    return undefined;
  }

  /** Metres between two positions, on a sphere. */
  distance(from, to) {
    const radians = Math.PI / 180;
    const [a, b] = [this.latitudes[from] * radians, this.latitudes[to] * radians];
    const across = ((this.longitudes[to] - this.longitudes[from]) * radians) / 2;
    const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(across) ** 2;
    return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(half)));
  }

  get begins() { return this.count ? this.times[0] : 0; }
  get ends() { return this.count ? this.times[this.count - 1] : 0; }

  /** The last position at a moment or before it; the first one when there is none; -1 in an empty track. */
  indexAt(moment) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.times[middle] <= moment) low = middle;
      else high = middle - 1;
    }
    return Math.min(low, this.count - 1);
  }

  /** Whether nothing is known of the time between a position and the next. */
  isGap(index) { return index + 1 < this.count && this.times[index + 1] - this.times[index] > this.gap * 1000; }

  /**
   * The moment so many seconds later; where that lies in a gap, its end.
   *
   * @param {number} moment
   * @param {number} seconds
   * @returns {{moment: number, skipped: number}} `skipped`: the seconds of the gap that was jumped over.
   */
  advance(moment, seconds) {
    const target = Math.min(this.ends, moment + seconds * 1000);
    const index = this.indexAt(target);
    if (index < 0 || !this.isGap(index) || target <= this.times[index]) return { moment: target, skipped: 0 };
    return { moment: this.times[index + 1], skipped: (this.times[index + 1] - this.times[index]) / 1000 };
  }

  /** Metres a second at a position: what the device says, else by the way from the one before; NaN when neither tells. */
  speedAt(index) {
    if (!Number.isNaN(this.speeds[index])) return this.speeds[index];
    const seconds = index > 0 ? (this.times[index] - this.times[index - 1]) / 1000 : 0;
    return seconds > 0 && seconds <= this.gap ? this.distance(index - 1, index) / seconds : NaN;
  }

  /** The next position after one, from the first again after the last, of which something is said; -1 for none. */
  nextMarked(index, name) {
    for (let step = 1; step <= this.count; step += 1) {
      const next = (index + step) % this.count;
      if (this.marks[next] & marks[name]) return next;
    }
    return -1;
  }
}
