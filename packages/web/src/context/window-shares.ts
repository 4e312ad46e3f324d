import type { ContextInfo } from '@longhaul/protocol/api';

/** A part of the window. */
export interface Share {
  name: ShareName;
  label: string;
  tokens: number;
}

export type ShareName = keyof typeof LABELS;

const LABELS = {
  system: 'System text',
  tools: 'Tool descriptions',
  ledger: 'Ledger',
  narrative: 'Narrative',
  user: 'Your messages',
  assistant: 'Answers',
  calls: 'Tool calls',
  outputs: 'Tool outputs',
  media: 'Images and files',
  framing: 'Message frames',
  free: 'Free',
  answer: 'Kept for the answer',
} as const;

/** What fills the window, in the order of a request, then what is free. Shares without tokens are left out. */
export function windowShares({ shares, tokens, window }: ContextInfo): Share[] {
  const { usableTokens, windowTokens } = window;
  const free = usableTokens === undefined ? 0 : Math.max(0, usableTokens - tokens);
  const answer =
    usableTokens === undefined || windowTokens === undefined ? 0 : Math.max(0, windowTokens - usableTokens);
  const all: Record<ShareName, number> = {
    system: shares.system,
    tools: shares.tools,
    ledger: shares.ledger,
    narrative: shares.narrative,
    user: shares.user,
    assistant: shares.assistant,
    calls: shares.calls,
    outputs: shares.outputs,
    media: shares.media,
    framing: shares.framing,
    free,
    answer,
  };
  return (Object.keys(LABELS) as ShareName[]).flatMap((name) =>
    all[name] > 0 ? [{ name, label: LABELS[name], tokens: all[name] }] : [],
  );
}
