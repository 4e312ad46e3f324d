import type { GarbagePlan, GarbageReport, RetentionLimits } from '@longhaul/storage/maintenance';

/** What `longhaul gc` removes from a store, of any kind. */
export interface Garbage extends AsyncDisposable {
  plan(limits: RetentionLimits): Promise<GarbagePlan>;
  /** Removes what a person has agreed to, and what nobody needs. Returns also how many copied workspaces it removed. */
  collect(agreed: Agreed): Promise<{ report: GarbageReport; workspaces: readonly string[] }>;
}

export interface Agreed {
  sessions: string[];
  backups: string[];
}
