/** Programs that the rules allow, and programs that no rule allows. */
export const ALLOWED = ['pa', 'pb', 'pc'];
export const FORBIDDEN = ['qa', 'qb'];

type Random = () => number;

/**
 * Returns `count` different shell lines, the same for the same seed: made by a grammar of bash, one in two then
 * changed.
 */
export function randomLines(count: number, seed: number): string[] {
  const random = generator(seed);
  const lines = new Set<string>();
  while (lines.size < count) {
    const line = list(random, 2);
    lines.add(random() < 0.5 ? line : mutate(random, line));
  }
  return [...lines];
}

/** Mulberry32. */
function generator(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(random: Random, options: readonly T[]): T {
  const option = options[Math.floor(random() * options.length)];
  if (option === undefined) throw new Error('There is nothing to pick from.');
  return option;
}

function list(random: Random, depth: number): string {
  const commands = Array.from({ length: pick(random, [1, 1, 2, 3]) }, () => command(random, depth));
  return commands.reduce((left, right) => `${left}${pick(random, SEPARATORS)}${right}`);
}

const SEPARATORS = [' && ', ' || ', '; ', ' | ', '\n', '&&', ' & ', ' |& ', ';', '|'];

function command(random: Random, depth: number): string {
  if (depth === 0 || random() < 0.55) return simple(random, depth);
  const inner = () => list(random, depth - 1);
  return pick(random, [
    () => `(${inner()})`,
    () => `{ ${inner()}; }`,
    () => `if ${inner()}; then ${inner()}; fi`,
    () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
    () => `for x in a b; do ${inner()}; done`,
    () => `while ${inner()}; do ${inner()}; done`,
    () => `case ${word(random, depth)} in a|b) ${inner()};; *) ${inner()};; esac`,
    () => `f() { ${inner()}; }; f`,
    () => `[[ -n ${word(random, depth)} ]] && ${inner()}`,
    () => `((x = 1)); ${inner()}`,
    () => `! ${simple(random, depth)}`,
    () => `time ${simple(random, depth)}`,
    () => `${simple(random, depth)} <<E\n${word(random, depth)}\nE\n${inner()}`,
    () => `${simple(random, depth)} <<'E'\n${word(random, depth)}\nE\n${inner()}`,
    () => `# ${inner()}\n${simple(random, depth)}`,
    () => `eval '${inner().replaceAll("'", '')}'`,
  ])();
}

function simple(random: Random, depth: number): string {
  const words = Array.from({ length: Math.floor(random() * 3) }, () => word(random, depth));
  const parts = [program(random), ...words];
  if (random() < 0.1) parts.unshift(pick(random, ['x=1', 'y=$(pa)', 'x+=2']));
  if (random() < 0.15)
    parts.push(
      pick(random, [
        '>/dev/null',
        '2>&1',
        '< /dev/null',
        '2> /dev/null',
        '<<< z',
        '> out',
        '&> /dev/null',
        '>| out',
      ]),
    );
  return parts.join(' ');
}

function program(random: Random): string {
  const name = pick(random, random() < 0.9 ? ALLOWED : FORBIDDEN);
  if (random() < 0.85) return name;
  const [first = '', rest = ''] = [name[0], name.slice(1)];
  return pick(random, [
    `"${name}"`,
    `'${name}'`,
    `\\${name}`,
    `${first}"${rest}"`,
    `$'${name}'`,
    `\${z:-${name}}`,
    `echo`,
    'true',
    'printf %s',
    'test',
    'command',
    `[ a ] && ${name}`,
  ]);
}

function word(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? list(random, depth - 1) : simple(random, 0));
  return pick(random, [
    () =>
      pick(random, [
        'a',
        'b c',
        '-x',
        '--y=z',
        '1',
        '*',
        '~',
        '#a',
        'a#b',
        '{a,b}',
        '\\;',
        '\\&',
        '\\\n',
        '!',
      ]),
    () => `'${pick(random, ['a', 'x; qa', '$(qa)', '`qa`', 'a\\', '"'])}'`,
    () => `"${pick(random, ['a', 'x; qa', '$x', '\\"', "'", '\\$(qa)', '\\\\'])}"`,
    () => `$(${inner()})`,
    () => `"$(${inner()})"`,
    () => `"a $(${inner()}) \\" b"`,
    () => `\`${inner().replaceAll('`', '')}\``,
    () => `<(${inner()})`,
    () => `$(( 1 + ${pick(random, ['2', 'x', '$(qa)', 'a[$(qa)]'])} ))`,
    () => `\${x:-${pick(random, ['a', '$(qa)', '`qb`', '"}"'])}}`,
    () => pick(random, ['$x', '$' + '{x}', '$' + '{#x}', '$1', '$@', '$?', "$'a\\'b'", '$"a"']),
  ])();
}

/** Inserts, removes, repeats or swaps characters that mean something to a shell. */
function mutate(random: Random, line: string): string {
  let changed = line;
  for (let count = 1 + Math.floor(random() * 2); count > 0; count -= 1) {
    const at = Math.floor(random() * (changed.length + 1));
    const removed = random() < 0.5 ? 1 : 0;
    const added = random() < 0.7 ? pick(random, MEANINGFUL) : '';
    changed = changed.slice(0, at) + added + changed.slice(at + removed);
  }
  return changed;
}

const MEANINGFUL = [
  '"',
  "'",
  '`',
  '\\',
  '$',
  '(',
  ')',
  '{',
  '}',
  ';',
  '&',
  '|',
  '\n',
  ' ',
  '#',
  '<',
  '>',
  '!',
  '[',
  ']',
  '=',
  '$(',
  '\\\n',
  '\t',
  '\r',
  ' qa ',
  ';qa;',
  '&qb',
  '$(qa)',
];
