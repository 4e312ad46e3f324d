/** A path inside of the configuration. */
export type ConfigPath = readonly (string | number)[];

/** One source of settings, not yet checked. */
export interface ConfigLayer {
  /** As messages name it: `longhaul.yml`, `settings`. */
  name: string;
  value: unknown;
  /** Where `path` stands, for messages: `12:5`. `key`: the place of the key itself, not of its value. */
  locate?: (path: ConfigPath, options: { key: boolean }) => string | undefined;
}

export interface ConfigProblem {
  path: ConfigPath;
  text: string;
  /** The key is wrong, not its value. */
  key?: boolean;
}

/** `longhaul.yml:12:5: context.compression.stategy is not a known key. Did you mean "strategy"?` */
export function problemLine(layer: ConfigLayer, problem: ConfigProblem): string {
  const place = layer.locate?.(problem.path, { key: problem.key ?? false });
  return `${layer.name}${place === undefined ? '' : `:${place}`}: ${problem.text}`;
}

export function pathText(path: ConfigPath): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[\w-]+$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `${text === '' ? '' : '.'}"${key}"`;
  }
  return text === '' ? 'the file' : text;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
