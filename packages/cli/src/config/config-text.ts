import { type ConfigOrigin, type ConfigPath, pathText } from '@longhaul/config';
import { visibleLine } from '@longhaul/protocol';
import { Document, isMap, isScalar, type Pair } from 'yaml';
import type { EffectiveConfig } from './effective-config.ts';

/** Returns the configuration as YAML, with the source of each value that is not the default in a comment. */
export function configText(effective: EffectiveConfig): string {
  const { warnings = [], ...config } = effective.config;
  const document = new Document(config);
  addOrigins(document.contents, [], effective.origins);
  const notes = warnings.map((warning) => `warning: ${visibleLine(warning)}`);
  const head = [...headLines(effective), ...notes].map((line) => `# ${line.replaceAll('\n', '\n# ')}\n`);
  return `${head.join('')}${document.toString({ lineWidth: 0 })}`;
}

function headLines({ origins, sources, changedIn, unread, project }: EffectiveConfig): string[] {
  const files = sources.map((path) => {
    const origin = Object.values(origins).find((each) => each.path === path);
    return `from ${path}${origin === undefined ? '' : ` (${origin.from})`}`;
  });
  const api = changedIn === undefined ? [] : [`from PUT /api/settings, kept in ${changedIn} (api)`];
  const known = [...api, ...files];
  return [
    ...(known.length === 0 ? ['No configuration file was found. These are the defaults.'] : known),
    ...ignoredLines(project),
    ...(unread === undefined ? [] : [`Changes over the API are not shown: ${unread}`]),
  ];
}

/** What an untrusted project may not set, one line each. */
function ignoredLines(project: EffectiveConfig['project']): string[] {
  const ignored = project?.wants.filter(({ isTrusted }) => !isTrusted) ?? [];
  return ignored.map(
    ({ key, refusal }) =>
      `ignored: ${visibleLine(key)} (project; ${visibleLine(refusal ?? 'not trusted, see longhaul trust')})`,
  );
}

function addOrigins(node: unknown, path: ConfigPath, origins: EffectiveConfig['origins']): void {
  if (!isMap(node)) return;
  for (const pair of node.items) {
    const place = [...path, String(isScalar(pair.key) ? pair.key.value : pair.key)];
    const origin = origins[pathText(place)];
    if (origin === undefined) addOrigins(pair.value, place, origins);
    else addComment(pair, origin);
  }
}

/** After a value, above a list. */
function addComment({ key, value }: Pair, { from, variable }: ConfigOrigin): void {
  const text = ` ${from}${variable === undefined ? '' : `, $${variable}`}`;
  if (isScalar(value)) value.comment = text;
  else if (isScalar(key)) key.commentBefore = text;
}
