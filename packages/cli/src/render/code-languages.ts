/** What tells the parts of a language's code apart. */
export interface CodeLanguage {
  keywords: ReadonlySet<string>;
  /** Begin a comment that ends with the line. `#` begins one only at the beginning of a word. */
  lineComments: readonly string[];
  /** Begin and end of a comment. */
  blockComment?: readonly [string, string];
  /** Quotes of texts that end with the line. */
  quotes: readonly string[];
  /** Quotes of texts that can have several lines. They are looked for first. */
  longQuotes?: readonly string[];
  /** Words after `<` and `</` count as keywords. */
  hasTags?: boolean;
  /** Keywords in any case. */
  ignoresCase?: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const CURLY = { lineComments: ['//'], blockComment: ['/*', '*/'], quotes: ['"', "'"] } as const;
const HASH = { lineComments: ['#'], quotes: ['"', "'"] } as const;

const SCRIPT: CodeLanguage = {
  ...CURLY,
  longQuotes: ['`'],
  keywords: words(
    'abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown using var void while yield',
  ),
};
const PYTHON: CodeLanguage = {
  ...HASH,
  longQuotes: ['"""', "'''"],
  keywords: words(
    'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
};
const SHELL: CodeLanguage = {
  lineComments: ['#'],
  quotes: [],
  longQuotes: ['"', "'"],
  keywords: words(
    'alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local read return set shift source sudo then trap unset until while',
  ),
};
const GO: CodeLanguage = {
  ...CURLY,
  longQuotes: ['`'],
  keywords: words(
    'any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint var',
  ),
};
const RUST: CodeLanguage = {
  ...CURLY,
  // A single quote also begins the name of a lifetime.
  quotes: [],
  longQuotes: ['"'],
  keywords: words(
    'as async await bool break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str String struct super trait true type u32 u64 u8 unsafe use usize where while',
  ),
};
const C: CodeLanguage = {
  ...CURLY,
  keywords: words(
    'auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend if inline int long namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while #define #else #endif #if #ifdef #ifndef #include #pragma',
  ),
};
const JAVA: CodeLanguage = {
  ...CURLY,
  longQuotes: ['"""'],
  keywords: words(
    'abstract as async await base bool boolean break byte case catch char class companion const continue data default do double else enum extends false final finally float for foreach fun if implements import in int interface internal is let long namespace new null object out override package private protected public readonly record ref return sealed short static string struct super switch this throw throws true try typeof using val var virtual void volatile when where while',
  ),
};
const SWIFT: CodeLanguage = {
  ...CURLY,
  longQuotes: ['"""'],
  keywords: words(
    'as async await break case catch class continue default defer do else enum extension false for func guard if import in init inout internal is let mutating nil private protocol public return self Self static struct switch throw throws true try var where while',
  ),
};
const PHP: CodeLanguage = {
  ...CURLY,
  lineComments: ['//', '#'],
  keywords: words(
    'abstract and array as break case catch class const continue default do echo else elseif extends false final finally fn for foreach function if implements instanceof interface isset match namespace new null or print private protected public readonly require require_once return static switch this throw trait true try use var while yield',
  ),
};
const RUBY: CodeLanguage = {
  ...HASH,
  keywords: words(
    'alias and begin break case class def do else elsif end ensure false for if in include lambda module next nil not or private proc protected public raise require rescue return self super then true unless until when while yield',
  ),
};
const SQL: CodeLanguage = {
  lineComments: ['--'],
  blockComment: ['/*', '*/'],
  quotes: ['"'],
  longQuotes: ["'"],
  ignoresCase: true,
  keywords: words(
    'add all alter and as asc begin between by case column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert integer into is join key left like limit not null offset on or order outer primary references returning rollback select set table text then trigger union unique update using values view when where with',
  ),
};
const DATA: CodeLanguage = { ...CURLY, keywords: words('true false null') };
const SETTINGS: CodeLanguage = { ...HASH, keywords: words('true false null yes no on off') };
const STYLES: CodeLanguage = {
  blockComment: ['/*', '*/'],
  lineComments: [],
  quotes: ['"', "'"],
  keywords: words(
    'important media import supports keyframes layer container auto none inherit initial unset',
  ),
};
const MARKUP: CodeLanguage = {
  lineComments: [],
  blockComment: ['<!--', '-->'],
  quotes: ['"'],
  hasTags: true,
  keywords: new Set(),
};
const MAKE: CodeLanguage = {
  ...HASH,
  ignoresCase: true,
  keywords: words(
    'add arg cmd copy entrypoint env expose from healthcheck label run user volume workdir define else endef endif ifdef ifeq ifneq include phony',
  ),
};

const BY_NAME: readonly (readonly [CodeLanguage, string])[] = [
  [SCRIPT, 'js jsx mjs cjs javascript ts tsx mts cts typescript'],
  [PYTHON, 'py python python3'],
  [SHELL, 'sh bash zsh shell fish console shell-session'],
  [GO, 'go golang'],
  [RUST, 'rs rust'],
  [C, 'c h cc cpp cxx hpp c++ objc objective-c'],
  [JAVA, 'java kt kotlin cs csharp c# scala dart groovy'],
  [SWIFT, 'swift'],
  [PHP, 'php'],
  [RUBY, 'rb ruby'],
  [SQL, 'sql sqlite postgres postgresql mysql'],
  [DATA, 'json json5 jsonc jsonl'],
  [SETTINGS, 'yaml yml toml ini conf env properties'],
  [STYLES, 'css scss less'],
  [MARKUP, 'html xml svg vue svelte'],
  [MAKE, 'dockerfile docker makefile make'],
];

const LANGUAGES: ReadonlyMap<string, CodeLanguage> = new Map(
  BY_NAME.flatMap(([language, names]) => names.split(' ').map((name) => [name, language] as const)),
);

/** Returns the language that a block of code names. Undefined: it is not known. */
export function codeLanguage(name: string): CodeLanguage | undefined {
  return LANGUAGES.get(name.toLowerCase());
}
