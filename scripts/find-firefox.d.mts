/** The path of a Firefox: `FIREFOX_PATH`, else one that is installed; throws when there is none. */
export function findFirefox(): string;
