// The address of a device's health, its icon and color. Pure.

/** @param {string} id */
export const healthOf = (id) => `/v1/devices/${encodeURIComponent(id)}/health`;

const looks = {
  healthy: { name: 'healthy', tone: 'good', icon: 'checkmark.shield' },
  unhealthy: { name: 'unhealthy', tone: 'warning', icon: 'exclamationmark.shield' },
  unknown: { name: 'unknown', tone: 'neutral', icon: 'questionmark.circle' },
};

/**
 * @param {{isHealthy: boolean|null}} health
 */
export function lookOf({ isHealthy }) {
  if (isHealthy === null || isHealthy === undefined) return looks.unknown;
  return isHealthy ? looks.healthy : looks.unhealthy;
}

/**
 * The number of registered regions as text. It is not known while the phone has not answered.
 *
 * @param {object} health
 * @param {(count: number) => string} format
 */
export const registeredCount = ({ isHealthy, registeredWithOS }, format) =>
  ((isHealthy === null || isHealthy === undefined) && registeredWithOS.length === 0 ? '–' : format(registeredWithOS.length));

/** The name of the operating system. @param {string|null} platform */
export const systemName = (platform) => (platform === 'android' ? 'Android' : 'iOS');

/**
 * The rows for missing or orphaned geofences, each with the name from its finding.
 *
 * @param {object} health
 * @param {'missing'|'orphaned'} kind
 * @returns {{id: string, name: string|null, finding: object|undefined}[]} `name` is null if it is unknown.
 */
export function rowsOf(health, kind) {
  const ids = kind === 'missing' ? health.missingFromOS : health.orphanedInOS;
  return ids.map((id) => {
    const finding = health.findings.find((other) => other.finding === kind && other.geofenceId === id);
    return { id, name: finding?.name && finding.name !== id ? finding.name : null, finding };
  });
}

/** Findings that are shown elsewhere. */
const ownSections = new Set(['overBudget', 'foreign']);

/**
 * The findings that have no row of their own, those that make a device unhealthy first. A missing sentinel is one of them, because the lists
 * of missing and orphaned geofences contain only geofences.
 *
 * @param {object} health
 */
export const otherFindings = (health) => health.findings.filter(({ finding, geofenceId }) => !ownSections.has(finding)
  && !(finding === 'missing' && health.missingFromOS.includes(geofenceId))
  && !(finding === 'orphaned' && health.orphanedInOS.includes(geofenceId)));

/** The finding that a person has to deal with before a repair can help; undefined if there is none. @param {object} health */
export const settingToChange = (health) => health.findings.find(({ finding, setting }) => setting && unhealthyFindings.has(finding));

/** The findings that make a device unhealthy. */
export const unhealthyFindings = new Set(['missing', 'orphaned', 'drifted', 'deaf', 'zombie', 'unmonitored', 'blocked', 'degraded']);
