// A track in memory as arrays of numbers, for 100,000 positions and more. Pure.

import { mercator } from './map-shapes.js';

/** The marks of a position. */
export const marks = { late: 1, coarse: 2, outlier: 4, invalid: 8 };

/** The default number of seconds between two positions above which there is a gap. */
const usualGap = 600;
/** For a device that sends rarely, a gap is this many times as long as its usual interval. */
const gapFactor = 4;
/** The number of intervals from which the usual one is determined. */
const sampled = 1000;

/** The limits if a device's policy has none. */
export const usualLimits = { maxSpeed: 340, maxAccuracy: 250 };

const earthRadius = 6_371_008.8;

/** The track of one device, sorted by time. */
export class Track {
  constructor(limits = usualLimits) {
    this.limits = limits;
    this.count = 0;
    /** The number of positions with each mark. */
    this.counts = { late: 0, coarse: 0, outlier: 0, invalid: 0 };
    this.times = new Float64Array(0);
    this.grow(1024);
    /** The index of the last position that is neither an outlier nor invalid. */
    this.believed = -1;
    /** The number of seconds between two positions above which there is a gap. */
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
    /** Mercator coordinates. */
    this.x = copy(Float64Array, this.x);
    this.y = copy(Float64Array, this.y);
    this.latitudes = copy(Float64Array, this.latitudes);
    this.longitudes = copy(Float64Array, this.longitudes);
    /** Accuracies in meters, speeds in meters per second, and battery levels from 0 to 1; NaN if unknown. */
    this.accuracies = copy(Float32Array, this.accuracies);
    this.speeds = copy(Float32Array, this.speeds);
    this.batteries = copy(Float32Array, this.batteries);
    this.marks = copy(Uint8Array, this.marks);
  }

  /**
   * Adds positions that follow the existing ones.
   *
   * @param {object[]} fixes Positions in the form of the service.
   */
  append(fixes) {
    if (this.count + fixes.length > this.times.length) this.grow(Math.max(this.count + fixes.length, 2 * this.times.length));
    for (const fix of fixes) {
      const index = this.count;
      this.times[index] = Date.parse(fix.timestamp);
      this.latitudes[index] = fix.latitude;
      // At the antimeridian the longitude exceeds 180, so that the line does not go around the world.
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

  /** The median of the seconds between two positions, from a sample. */
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
    // As the engine does: the device may have moved less than the distance, by both accuracies, and coarse positions imply no speed.
    const accuracy = (at) => this.accuracies[at] || 0;
    const isCoarse = (at) => accuracy(at) > this.limits.maxAccuracy;
    const isFar = (from) => !isCoarse(from) && !isCoarse(index)
      && this.distance(from, index) - accuracy(from) - accuracy(index)
        > this.limits.maxSpeed * Math.max(1, (this.times[index] - this.times[from]) / 1000);
    if (this.believed < 0 || !isFar(this.believed)) {
      this.believed = index;
    } else if (this.marks[index - 1] & marks.outlier && !isFar(index - 1)) {
      // The next position agrees with the outlier, so the device is really there.
      this.believed = index;
    } else {
      say('outlier');
    }
    return undefined;
  }

  /** The distance between two positions on a sphere in meters. */
  distance(from, to) {
    const radians = Math.PI / 180;
    const [a, b] = [this.latitudes[from] * radians, this.latitudes[to] * radians];
    const across = ((this.longitudes[to] - this.longitudes[from]) * radians) / 2;
    const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(across) ** 2;
    return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(half)));
  }

  get begins() { return this.count ? this.times[0] : 0; }
  get ends() { return this.count ? this.times[this.count - 1] : 0; }

  /** The index of the last position at or before a moment; 0 if there is none; -1 if the track is empty. */
  indexAt(moment) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.times[middle] <= moment) low = middle;
      else high = middle - 1;
    }
    return Math.min(low, this.count - 1);
  }

  /** Whether there is a gap between a position and the next one. */
  isGap(index) { return index + 1 < this.count && this.times[index + 1] - this.times[index] > this.gap * 1000; }

  /**
   * The moment a number of seconds later; if it is in a gap, the end of the gap.
   *
   * @param {number} moment
   * @param {number} seconds
   * @returns {{moment: number, skipped: number}} `skipped`: the seconds of the gap that was skipped.
   */
  advance(moment, seconds) {
    const target = Math.min(this.ends, moment + seconds * 1000);
    const index = this.indexAt(target);
    if (index < 0 || !this.isGap(index) || target <= this.times[index]) return { moment: target, skipped: 0 };
    return { moment: this.times[index + 1], skipped: (this.times[index + 1] - this.times[index]) / 1000 };
  }

  /**
   * The speed at a position in meters per second: the device's value, otherwise computed from the previous position; NaN if neither is
   * available.
   */
  speedAt(index) {
    if (!Number.isNaN(this.speeds[index])) return this.speeds[index];
    const seconds = index > 0 ? (this.times[index] - this.times[index - 1]) / 1000 : 0;
    return seconds > 0 && seconds <= this.gap ? this.distance(index - 1, index) / seconds : NaN;
  }

  /** The next position with a mark, continuing at the beginning after the last one; -1 if there is none. */
  nextMarked(index, name) {
    for (let step = 1; step <= this.count; step += 1) {
      const next = (index + step) % this.count;
      if (this.marks[next] & marks[name]) return next;
    }
    return -1;
  }
}
