import { isObject } from '@longhaul/protocol';
import { type ApprovalRule, createJudge, type JudgedCall, subjectsOf } from './approval-rules.ts';

/**
 * Returns rules that allow exactly what the answer `always` would allow, to be written into a configuration. Undefined
 * if no rule says exactly that: a command with `*` or with lines of text, or one that the rules do not know.
 */
export async function alwaysRules(call: JudgedCall): Promise<ApprovalRule[] | undefined> {
  const rules: ApprovalRule[] = [];
  for (const subject of await subjectsOf(call)) {
    const rule = ruleFor(subject, call);
    if (rule === undefined) return undefined;
    rules.push(rule);
  }
  if (rules.length === 0) return undefined;
  const { action } = await createJudge(rules)(call, 'ask');
  return action === 'allow' ? rules : undefined;
}

function ruleFor(subject: string, { toolName, input }: JudgedCall): ApprovalRule | undefined {
  const [tool = '', path] = subject.split('\0');
  const isCommand = isObject(input) && typeof input['command'] === 'string';
  // A patch is judged by what it does to each file, which no rule for its tool can say.
  if (toolName.includes('*') || (path !== undefined && tool !== toolName)) return undefined;
  if (path !== undefined && /^https?:\/\//.test(path)) return { tool: toolName, url: path, action: 'allow' };
  if (path !== undefined)
    return { tool: toolName, ...(path !== '' && { path: literalGlob(path) }), action: 'allow' };
  if (!isCommand || /[*\n]/.test(subject)) return undefined;
  return { tool: toolName, command: subject, action: 'allow' };
}

function literalGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}()!@+|]/g, (char) => `\\${char}`);
}
