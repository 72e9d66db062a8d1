// The icon and color of a device's health. Pure.

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

/** The name of the operating system. @param {string|null} platform */
export const systemName = (platform) => (platform === 'android' ? 'Android' : 'iOS');

/**
 * The rows for missing or orphaned geofences, each with the name from its finding.
 *
 * @param {object} health
 * @param {'missing'|'orphaned'} kind
 * @returns {{id: string, name: string|null, cause: string|null}[]} `name` is null if it is unknown.
 */
export function rowsOf(health, kind) {
  const ids = kind === 'missing' ? health.missingFromOS : health.orphanedInOS;
  return ids.map((id) => {
    const finding = health.findings.find((other) => other.finding === kind && other.geofenceId === id);
    return { id, name: finding?.name && finding.name !== id ? finding.name : null, cause: finding?.cause ?? null };
  });
}

const ownSections = new Set(['missing', 'orphaned', 'overBudget', 'foreign']);

/** The findings that have no section of their own, those that make a device unhealthy first. @param {object} health */
export const otherFindings = (health) => health.findings.filter(({ finding }) => !ownSections.has(finding));

/** The findings that make a device unhealthy. */
export const unhealthyFindings = new Set(['missing', 'orphaned', 'drifted', 'deaf', 'zombie', 'unmonitored', 'blocked', 'degraded']);
