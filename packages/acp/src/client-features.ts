import type { ClientCapabilities } from '@agentclientprotocol/sdk';

/** What the client can do beyond the minimum of the protocol. */
export interface ClientFeatures {
  readsFiles: boolean;
  writesFiles: boolean;
  showsCompactions: boolean;
  showsNotices: boolean;
  showsForms: boolean;
}

export const NO_FEATURES: ClientFeatures = {
  readsFiles: false,
  writesFiles: false,
  showsCompactions: false,
  showsNotices: false,
  showsForms: false,
};

export function featuresOf({ fs, session, elicitation }: ClientCapabilities = {}): ClientFeatures {
  return {
    readsFiles: fs?.readTextFile === true,
    writesFiles: fs?.writeTextFile === true,
    showsCompactions: isGiven(session?.compaction),
    showsNotices: isGiven(session?.notices),
    showsForms: isGiven(elicitation?.form),
  };
}

/** The protocol announces some capabilities by an empty object. */
function isGiven(capability: object | null | undefined): boolean {
  return capability !== undefined && capability !== null;
}
