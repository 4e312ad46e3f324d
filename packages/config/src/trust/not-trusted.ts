/** Why a skill or a command of a workspace is not used. */
export const NOT_TRUSTED = 'is not trusted, or has changed since it was trusted: longhaul trust';
