import type { JsonValue } from '@longhaul/protocol';

export interface ApprovalRule {
  /** A tool's name, or a pattern with `*`. */
  tool: string;
  action: 'allow' | 'ask' | 'deny';
}

export interface ApprovalRequest {
  toolName: string;
  input: JsonValue;
}

export type Approval = { allowed: true } | { allowed: false; reason: string };
export type Approver = (request: ApprovalRequest) => Promise<Approval>;

/** Answers from rules alone: the last match wins, no match allows, and `ask` counts as deny, since nobody is there to be asked. */
export function createRuleApprover(rules: readonly ApprovalRule[]): Approver {
  return async ({ toolName }) => {
    const rule = rules.findLast((candidate) => matches(candidate.tool, toolName));
    if (rule === undefined || rule.action === 'allow') return { allowed: true };
    const why = rule.action === 'ask' ? 'asks for approval, and nobody is there to give it' : 'denies it';
    return {
      allowed: false,
      reason: `the approval rule for "${rule.tool}" ${why}. Find another way, or say what you need.`,
    };
  };
}

function matches(pattern: string, name: string): boolean {
  const escaped = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(name);
}
