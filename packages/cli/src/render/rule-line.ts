import type { ApprovalRule } from '@longhaul/approvals';
import { visibleLine } from '@longhaul/protocol';

/** A rule as it is in a file: `{ tool: bash, command: "npm test", action: allow }`. */
export function ruleLine({ tool, command, path, url, action }: ApprovalRule): string {
  const fields = Object.entries({ tool, command, path, url, action }).filter(
    ([, value]) => value !== undefined,
  );
  const shown = fields.map(
    ([name, value = '']) => `${name}: ${isPlain(value) ? value : JSON.stringify(value)}`,
  );
  return visibleLine(`{ ${shown.join(', ')} }`);
}

/** Whether YAML reads it as text without quotes. */
function isPlain(value: string): boolean {
  return /^[a-z][\w-]*$/i.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value);
}
