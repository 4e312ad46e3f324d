import { suggestion, TOKEN_SCOPES, type TokenScope } from '@longhaul/protocol';
import type { NamedTokens, TokenBudget, TokenBudgets } from '@longhaul/server';
import { parseAge } from '../command-line/amounts.ts';
import { TOKEN_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, usage } from '../command-line/parse-flags.ts';
import { parseTokenBudget } from '../command-line/token-budget.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { tokenTable } from '../render/token-table.ts';
import { tokenPlace } from '../serve/token-place.ts';
import type { Terminal } from '../terminal.ts';

interface Work {
  tokens: NamedTokens;
  budgets: TokenBudgets;
  /** Undefined: no name was given. */
  name: string | undefined;
  scope: TokenScope;
  expiresAt: number | undefined;
  /** Undefined: no budget was given. */
  budget: TokenBudget | undefined;
}

/** The output of an action, for programs and for a person. */
interface Answer {
  json: object;
  text: string;
}

const ACTIONS: Readonly<Record<string, (work: Work) => Promise<Answer>>> = { add, budget, list, revoke };

/** `longhaul token`: adds, lists and revokes the named tokens of the server, and sets their budgets. */
export async function token(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'token', TOKEN_FLAGS);
  const [action = 'list', name, ...others] = positionals;
  if (others.length > 0) throw usage('Name one token: longhaul token add NAME.', 'token');
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (act === undefined) {
    const hint = suggestion(action, Object.keys(ACTIONS), (known) => known);
    throw usage(`There is no action "${action}".${hint} Actions are add, budget, list and revoke.`, 'token');
  }
  const scope = oneOf<TokenScope>(values.scope, '--scope', TOKEN_SCOPES) ?? 'work';
  const lifeMs = parseAge(values.expires, '--expires');
  const { config, home, workspace } = await loadSettings(values, terminal);
  const workspaces = config.server.workspaces.length > 0 ? config.server.workspaces : [workspace];
  const budget = parseTokenBudget(values);
  const { NamedTokens, TokenBudgets } = await import('@longhaul/server');
  const { folder } = tokenPlace({ url: config.storage.url, home, workspaces });
  const expiresAt = lifeMs === undefined ? undefined : Date.now() + Math.round(lifeMs);
  const [tokens, budgets] = [new NamedTokens(folder), new TokenBudgets(folder)];
  const { json, text } = await act({ tokens, budgets, name, scope, expiresAt, budget });
  terminal.out.write(values.json ? `${JSON.stringify(json)}\n` : text);
  return 0;
}

async function add({ tokens, budgets, name, scope, expiresAt, budget: given }: Work): Promise<Answer> {
  const named = requireName(name, 'add');
  const text = await tokens.add(named, { scope, expiresAt });
  if (given !== undefined) await budgets.change(named, given);
  const end = expiresAt === undefined ? 'never expires' : `expires on ${new Date(expiresAt).toISOString()}`;
  return {
    json: { name: named, scope, expiresAt, token: text, folder: tokens.folder },
    text: `${text}\n\nThis is the token of ${named}. It is not shown again. Its scope is ${scope}, and it ${end}.\nIts hash is in ${tokens.folder}. A server with another folder does not accept it.\n`,
  };
}

/** Changes the budgets of a token, or prints them. */
async function budget({ tokens, budgets, name, budget: given }: Work): Promise<Answer> {
  const named = requireName(name, 'budget');
  if (!(await tokens.list()).some((token) => token.name === named))
    throw usage(`There is no token ${named} in ${tokens.folder}. longhaul token list prints all.`, 'token');
  const now = given === undefined ? await budgets.read(named) : await budgets.change(named, given);
  return { json: { name: named, ...now }, text: budgetText(named, now) };
}

const BUDGETS = [
  ['token', 'costUsd', 'in all, in US dollars'],
  ['token', 'tokens', 'in all, in tokens'],
  ['tokenDay', 'costUsd', 'on a day, in US dollars'],
  ['tokenDay', 'tokens', 'on a day, in tokens'],
] as const;

function budgetText(name: string, budget: TokenBudget): string {
  const lines = BUDGETS.map(([scope, unit, words]) => {
    const value = budget[scope]?.[unit];
    const shown = value === undefined ? `as configured (budgets.${scope}.${unit})` : (value ?? 'no limit');
    return `  ${words}: ${shown}\n`;
  });
  return `The budgets of the token ${name}:\n${lines.join('')}What is spent: longhaul usage --token ${name}\n`;
}

async function list({ tokens, name }: Work): Promise<Answer> {
  if (name !== undefined) throw usage('longhaul token list takes no name.', 'token');
  const listed = await tokens.list();
  return { json: listed, text: tokenTable(listed, { now: Date.now(), folder: tokens.folder }) };
}

async function revoke({ tokens, name }: Work): Promise<Answer> {
  const named = requireName(name, 'revoke');
  const revoked = await tokens.revoke(named);
  const text = revoked
    ? `The token ${named} is revoked. Its sessions are kept; a new token of this name has them.\n`
    : `There is no token ${named} in ${tokens.folder}.\n`;
  return { json: { name: named, revoked }, text };
}

function requireName(name: string | undefined, action: string): string {
  if (name === undefined) throw usage(`Name a token: longhaul token ${action} NAME.`, 'token');
  return name;
}
