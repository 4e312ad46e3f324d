import type { ApprovalRule } from '@longhaul/approvals';
import { visibleLine } from '@longhaul/protocol';

/** A rule as it is in a file: `{ tool: bash, command: "npm test", action: allow }`. */
export function ruleLine({ tool, command, path, url, action }: ApprovalRule): string {
  const fields = Object.entries({ tool, command, path, url, action }).filter(
    ([, value]) => value !== undefined,
  );
  const shown = fields.map(
    ([name, value = '']) => `${name}: ${PLAIN.test(value) ? value : JSON.stringify(value)}`,
  );
  return visibleLine(`{ ${shown.join(', ')} }`);
}

/** What YAML reads as text without quotes. */
const PLAIN = /^[a-z][\w-]*$/i;
