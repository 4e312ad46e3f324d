import { foldName } from '@longhaul/protocol';

/**
 * The names by which models call a tool and its parameters, learned from the tools of other agents. Names are compared
 * without regard to case, `_`, `-` and `.`. Schemas do not contain them.
 */
export interface ToolDialect {
  names: readonly string[];
  /** By the name that the tool uses itself. */
  parameters: Readonly<Record<string, ParameterDialect>>;
  /**
   * Parameters without effect that are part of ordinary calls elsewhere, such as a description. Nothing reports them.
   */
  silent?: readonly string[];
}

export interface ParameterDialect {
  means: string;
  /** The unit of a number. */
  unit?: string;
  /** Other names for the same value in the same unit. */
  aliases?: readonly string[];
  /** Other names for the value in another unit: how many of the tool's own unit one of it is. */
  factors?: Readonly<Record<string, number>>;
  /** The parameter is accepted, but is not in the schema. */
  isExtra?: boolean;
}

/** How a given parameter is read. */
export interface MeantParameter {
  name: string;
  factor?: number;
}

const tables = new WeakMap<ToolDialect, ReadonlyMap<string, MeantParameter>>();

/** Returns what the name of a given parameter means, or undefined. */
export function meantParameter(dialect: ToolDialect, given: string): MeantParameter | undefined {
  let table = tables.get(dialect);
  if (table === undefined) {
    table = tableOf(dialect);
    tables.set(dialect, table);
  }
  return table.get(foldName(given));
}

function tableOf(dialect: ToolDialect): Map<string, MeantParameter> {
  const found = new Map<string, MeantParameter>();
  for (const [name, { aliases = [], factors = {} }] of Object.entries(dialect.parameters)) {
    for (const each of [name, ...aliases]) found.set(foldName(each), { name });
    for (const [alias, factor] of Object.entries(factors)) found.set(foldName(alias), { name, factor });
  }
  return found;
}

/** Returns the names to tell a model that used others. */
export function shownParameters({ parameters }: ToolDialect): string[] {
  return Object.keys(parameters).filter((name) => parameters[name]?.isExtra !== true);
}
