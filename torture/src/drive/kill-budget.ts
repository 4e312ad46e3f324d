/** The kills that are left for all sessions of a run. */
export interface KillBudget {
  /** Takes one before a process starts. Returns false if none is left. */
  take(): boolean;
  /** Gives one back if the process was not killed. */
  giveBack(): void;
}

/** @param mayContinue Whether more processes may be killed at all. */
export function createKillBudget(kills: number, mayContinue: () => boolean): KillBudget {
  let left = kills;
  return {
    take() {
      if (left <= 0 || !mayContinue()) return false;
      left -= 1;
      return true;
    },
    giveBack() {
      left += 1;
    },
  };
}
