/** A path within the configuration. */
export type ConfigPath = readonly (string | number)[];

/** A source of settings, not checked yet. */
export interface ConfigLayer {
  /** Its name in messages: `longhaul.yml`, `settings`. */
  name: string;
  value: unknown;
  /**
   * Returns the position of `path` for messages, such as `12:5`. With `key`, the position of the key instead of its
   * value.
   */
  locate?: (path: ConfigPath, options: { key: boolean }) => string | undefined;
}

export interface ConfigProblem {
  path: ConfigPath;
  text: string;
  /** Whether the key is wrong and not its value. */
  key?: boolean;
}

/** Formats a problem: `longhaul.yml:12:5: context.compression.stategy is not a known key. Did you mean "strategy"?` */
export function problemLine(layer: ConfigLayer, problem: ConfigProblem): string {
  const place = layer.locate?.(problem.path, { key: problem.key ?? false });
  return `${layer.name}${place === undefined ? '' : `:${place}`}: ${problem.text}`;
}

export function pathText(path: ConfigPath): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[\w-]+$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `${text === '' ? '' : '.'}"${key.replaceAll(/["\\]/g, '\\$&')}"`;
  }
  return text === '' ? 'the file' : text;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
