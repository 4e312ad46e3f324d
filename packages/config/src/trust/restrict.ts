import { type ConfigPath, isPlainObject, pathText } from '../config-layer.ts';
import { referencedVariable } from '../environment.ts';
import { type Danger, TRUST_TABLE, type TrustRule } from './trust-table.ts';

/** A setting of a project's file that needs trust. */
export interface DangerousSetting {
  path: ConfigPath;
  value: unknown;
  /** The value that applies without the project's file. */
  other: unknown;
  danger: Danger;
}

export interface RestrictOptions {
  /** The configuration without the project's file. */
  other: unknown;
  /** The dangerous settings that are trusted, by the text of their path. */
  granted: ReadonlySet<string>;
  /** Whether the schema has a key. An unknown key stays, so that the check of the layer refuses it. */
  isKnown: (path: ConfigPath) => boolean;
}

export interface Restricted {
  /** The layer with the settings that take effect. */
  value: unknown;
  /** All settings that need trust, the granted ones included. */
  dangerous: DangerousSetting[];
}

/**
 * Applies the trust table to a project's layer, before variables are replaced. A value that names a variable needs
 * trust at any key.
 */
export function restrict(layer: unknown, options: RestrictOptions): Restricted {
  const dangerous: DangerousSetting[] = [];

  function judge(
    value: unknown,
    { rule, path, other }: { rule: TrustRule; path: ConfigPath; other: unknown },
  ) {
    // It says what is so anyway. The origin stays the other layer.
    if (JSON.stringify(value) === JSON.stringify(other)) return undefined;
    const kept = namesVariable(value) ? { value: undefined, isWhole: false } : rule.keep(value, other);
    if (kept.isWhole) return kept.value;
    dangerous.push({ path, value, other, danger: rule.danger });
    return options.granted.has(pathText(path)) ? value : kept.value;
  }

  function walk(value: unknown, node: Node | undefined, path: ConfigPath, other: unknown): unknown {
    const isSection = node !== undefined && (isPlainObject(value) || !namesVariable(value));
    const rule = node?.rule ?? (isSection ? undefined : UNDECIDED);
    if (rule !== undefined) return judge(value, { rule, path, other });
    // A value in place of a section: the check of the layer refuses it.
    if (!isPlainObject(value) || node === undefined) return value;
    const entries = Object.entries(value).flatMap(([key, below]) => {
      const at = [...path, key];
      const next = node.keys.get(key) ?? node.keys.get('NAME');
      if (next === undefined && !options.isKnown(at)) return [[key, below] as const];
      const kept = walk(below, next, at, childOf(other, key));
      return kept === undefined ? [] : [[key, kept] as const];
    });
    return Object.fromEntries(entries);
  }

  return { value: walk(layer, tableTree(), [], options.other), dangerous };
}

/** Returns the rule that decides about a key of the schema, such as `providers.NAME.baseUrl`. */
export function ruleFor(key: string): TrustRule | undefined {
  let node: Node | undefined = tableTree();
  for (const name of key.split('.')) {
    if (node?.rule !== undefined) break;
    node = node?.keys.get(name);
  }
  return node?.rule;
}

const UNDECIDED: TrustRule = {
  allows: '',
  danger: 'access',
  keep: () => ({ value: undefined, isWhole: false }),
};

interface Node {
  rule?: TrustRule;
  keys: Map<string, Node>;
}

function tableTree(): Node {
  const root: Node = { keys: new Map() };
  for (const [key, rule] of Object.entries(TRUST_TABLE)) {
    let node = root;
    for (const name of key.split('.')) {
      const next = node.keys.get(name) ?? { keys: new Map() };
      node.keys.set(name, next);
      node = next;
    }
    node.rule = rule;
  }
  return root;
}

function namesVariable(value: unknown): boolean {
  if (isPlainObject(value) || Array.isArray(value)) return Object.values(value).some(namesVariable);
  return referencedVariable(value) !== undefined;
}

function childOf(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
