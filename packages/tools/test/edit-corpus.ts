/** An awkward edit: the result, or a pattern of the reason why it is refused. */
export interface EditCase {
  what: string;
  file: string;
  old: string;
  new: string;
  all?: true;
  expected: string | RegExp;
}

function accepted(what: string, file: string, old: string, replacement: string, expected: string): EditCase {
  return { what, file, old, new: replacement, expected };
}

function refused(what: string, file: string, old: string, replacement: string, expected: RegExp): EditCase {
  return { what, file, old, new: replacement, expected };
}

const NBSP = '\u00a0';

const BLANKS: EditCase[] = [
  accepted(
    'trailing blanks in the file',
    'a\nfoo();  \nb\n',
    'a\nfoo();\nb',
    'a\nbar();\nb',
    'a\nbar();\nb\n',
  ),
  accepted('trailing blanks in old', 'a\nfoo();\nb\n', 'a\nfoo();  \nb', 'a\nbar();\nb', 'a\nbar();\nb\n'),
  accepted('a trailing tab after the only line', 'foo();\nb\n', 'foo();\t', 'bar();', 'bar();\nb\n'),
  accepted('trailing blanks in both, of different length', 'x \ny\n', 'x   \ny', 'z\ny', 'z\ny\n'),
  accepted('blank lines with blanks', 'a\n  \nb\n', 'a\n\nb', 'a\n\nc', 'a\n  \nc\n'),
  accepted('blank lines without blanks', 'a\n\nb\n', 'a\n    \nb', 'a\n    \nc', 'a\n\nc\n'),
  accepted(
    'a Markdown break that stays',
    'one  \ntwo\nthree\n',
    'one\ntwo\nthree',
    'one\n2\nthree',
    'one  \n2\nthree\n',
  ),
  accepted('a last line without line feed', 'a\nfoo', 'foo\n', 'bar\n', 'a\nbar'),
  accepted('a line to delete at the end', 'a\nfoo', 'a\nfoo\n', 'a\n', 'a'),
  accepted('a blank line more at the end of both', 'a\nb\nc\n', 'b\n\n', 'B\n\n', 'a\nB\nc\n'),
  accepted('a blank line more at the start of both', 'a\nb\nc\n', '\n\nb', '\n\nB', 'a\nB\nc\n'),
  accepted('spacing for alignment', 'a   = 1\nbb  = 2\n', 'a = 1', 'a = 9', 'a   = 9\nbb  = 2\n'),
  accepted('a tab between words', 'key\tvalue\n', 'key value', 'key other', 'key\tother\n'),
  accepted(
    'two spaces in a comment',
    '// one  two\nx\n',
    '// one two\nx',
    '// one two\ny',
    '// one  two\ny\n',
  ),
  refused('a blank that separates words', 'int x;\n', 'in tx;', 'y', /not found/),
  refused('blanks around an operator', 'a=b;\n', 'a = b;', 'a = c;', /not found/),
  refused('a missing blank line', 'a\n\nb\n', 'a\nb', 'a\nc', /not found/),
  refused('a blank line more', 'aaaa\nbbbb\n', 'aaaa\n\nbbbb', 'aaaa\n\ncccc', /not found/),
];

const CHARACTERS: EditCase[] = [
  accepted('typographic quotes in the file', 'say(“hi”)\n', 'say("hi")', 'say("ho")', 'say(“ho”)\n'),
  accepted('typographic quotes in old', 'say("hi")\n', 'say(“hi”)', 'say(“ho”)', 'say("ho")\n'),
  accepted('an apostrophe', 'It’s here.\n', "It's here.", "It's there.", 'It’s there.\n'),
  accepted('a long dash', 'a — b\n', 'a - b', 'a - c', 'a — c\n'),
  accepted('a minus sign', 'x = −1\n', 'x = -1', 'x = -2', 'x = −2\n'),
  accepted('a hyphen without break', 'non‑stop\n', 'non-stop', 'non-start', 'non‑start\n'),
  accepted('a no-break space', `10${NBSP}km away\n`, '10 km away', '20 km away', `20${NBSP}km away\n`),
  accepted('a no-break space in old', '10 km away\n', `10${NBSP}km away`, `20${NBSP}km away`, '20 km away\n'),
  accepted(
    'a narrow no-break space',
    '1\u202f000 files\n',
    '1 000 files',
    '2 000 files',
    '2\u202f000 files\n',
  ),
  accepted('an ideographic space', 'a\u3000b\n', 'a b', 'a c', 'a\u3000c\n'),
  accepted('an ellipsis', 'Loading…\n', 'Loading...', 'Saving...', 'Saving…\n'),
  accepted('an invisible space', 'foo\u200bbar\n', 'foobar', 'foobaz', 'foo\u200bbaz\n'),
  accepted('a mark of byte order inside', 'a\ufefffoo\n', 'afoo', 'abar', 'a\ufeffbar\n'),
  accepted('a composed letter', 'caf\u00e9 = 1\n', 'cafe\u0301 = 1', 'cafe\u0301 = 2', 'caf\u00e9 = 2\n'),
  accepted('a decomposed letter', 'cafe\u0301 = 1\n', 'caf\u00e9 = 1', 'caf\u00e9 = 2', 'cafe\u0301 = 2\n'),
  accepted(
    'indentation of no-break spaces',
    `f:\n${NBSP}${NBSP}x\n`,
    'f:\n  x',
    'f:\n  y',
    `f:\n${NBSP}${NBSP}y\n`,
  ),
  accepted('quotes in lines that stay', 'a “x”\nb\n', 'a "x"\nb', 'a "x"\nc', 'a “x”\nc\n'),
  accepted('part of a line', 'He said “yes” then.\n', '"yes"', '"no"', 'He said “no” then.\n'),
  refused('part of a word', 'non‑stopping\n', 'non-stop', 'x', /not found/),
  refused(
    'two places with typographic quotes',
    'say(“a”)\nsay(‘b’)\nsay(“a”)\n',
    'say("a")',
    'x',
    /matches 2 times, at lines 1, 3/,
  ),
  accepted('straight before typographic', 'say("a")\nsay(“a”)\n', 'say("a")', 'x', 'x\nsay(“a”)\n'),
  refused('another letter', 'Straße\n', 'Strasse', 'x', /not found/),
  refused('another case', 'Foo();\n', 'foo();', 'x', /not found/),
];

const INDENTATION: EditCase[] = [
  accepted(
    'tabs for spaces',
    'f {\n\tfoo();\n\tbar();\n}\n',
    '    foo();\n    bar();',
    '    foo();\n    baz();',
    'f {\n\tfoo();\n\tbaz();\n}\n',
  ),
  accepted(
    'spaces for tabs',
    'f {\n    foo();\n    bar();\n}\n',
    '\tfoo();\n\tbar();',
    '\tfoo();\n\tbaz();',
    'f {\n    foo();\n    baz();\n}\n',
  ),
  accepted(
    'nested tabs for spaces',
    'f {\n\tif (a) {\n\t\tb();\n\t}\n}\n',
    '    if (a) {\n        b();\n    }',
    '    if (a) {\n        if (c) {\n            b();\n        }\n    }',
    'f {\n\tif (a) {\n\t\tif (c) {\n\t\t\tb();\n\t\t}\n\t}\n}\n',
  ),
  accepted(
    'a level less',
    'class A:\n    def f(self):\n        return 1\n',
    'def f(self):\n    return 1',
    'def f(self):\n    x = 2\n    return x',
    'class A:\n    def f(self):\n        x = 2\n        return x\n',
  ),
  accepted(
    'a level more',
    'def f():\n    return 1\n',
    '    def f():\n        return 1',
    '    def f():\n        return 2',
    'def f():\n    return 2\n',
  ),
  accepted(
    'two columns for four',
    'f {\n    if (a) {\n        b();\n    }\n}\n',
    '  if (a) {\n    b();\n  }',
    '  if (a) {\n    c();\n    d();\n  }',
    'f {\n    if (a) {\n        c();\n        d();\n    }\n}\n',
  ),
  accepted('one line with tabs for spaces', 'f:\n\tfoo()\n', '    foo()', '    bar()', 'f:\n\tbar()\n'),
  accepted(
    'one line that becomes a block',
    'f:\n\tfoo()\n',
    '    foo()',
    '    if x:\n        foo()',
    'f:\n\tif x:\n\t\tfoo()\n',
  ),
  accepted(
    'a first line without indentation',
    'class A {\n  f() {\n    x();\n  }\n}\n',
    'f() {\n    x();\n  }',
    'f() {\n    y();\n  }',
    'class A {\n  f() {\n    y();\n  }\n}\n',
  ),
  accepted(
    'all lines a level less but for blank ones',
    'a:\n    x\n\n    y\n',
    'x\n\ny',
    'x\n\nz',
    'a:\n    x\n\n    z\n',
  ),
  accepted(
    'indentation and trailing blanks',
    'f {\n\tfoo();  \n\tbar();\n}\n',
    '  foo();\n  bar();',
    '  foo();\n  baz();',
    'f {\n\tfoo();  \n\tbaz();\n}\n',
  ),
  accepted(
    'indentation and quotes',
    'f {\n\tsay(“a”);\n\tx();\n}\n',
    '  say("a");\n  x();',
    '  say("b");\n  x();',
    'f {\n\tsay(“b”);\n\tx();\n}\n',
  ),
  refused(
    'two places with other indentation',
    'if a:\n    x = 1\nif b:\n        x = 1\n',
    '\tx = 1',
    '\tx = 2',
    /matches 2 times, at lines 2, 4/,
  ),
  refused(
    'lines without their structure',
    'if a:\n    b()\n    if c:\n        d()\n',
    'if a:\nb()\nif c:\nd()',
    'if a:\nb()\nif c:\ne()',
    /not in the same way on all lines/,
  ),
  refused(
    'a new line with too little indentation',
    'def f():\n    return 1\n',
    '        def f():\n            return 1',
    'class A:\n        def f():\n            return 1',
    /`new` has an indentation that cannot be converted/,
  ),
  refused(
    'drifted structure',
    'if a:\n    b()\nc()\n',
    '  if a:\n      b()\n      c()',
    'x',
    /not in the same way|not found/,
  ),
  refused(
    'an edit that was made, with a like line elsewhere',
    'f:\n\tcount = initialCount(2)\ng:\n\t\tcount = initialCount(1)\n',
    '    count = initialCount(1)\n',
    '    count = initialCount(2)\n',
    /`new` is already there, at line 2/,
  ),
  refused('a prefix of a longer value', 'f:\n\tx = 10\n', '    x = 1', '    x = 2', /not found/),
];

const NUMBERS: EditCase[] = [
  accepted('numbers with a tab', 'foo\nbar\n', '1\tfoo\n2\tbar', '1\tfoo\n2\tbaz', 'foo\nbaz\n'),
  accepted('numbers in old only', 'foo\nbar\n', '1\tfoo\n2\tbar', 'foo\nbaz', 'foo\nbaz\n'),
  accepted(
    'numbers with an arrow',
    'a\nfoo\nbar\n',
    '     2→foo\n     3→bar',
    '     2→foo\n     3→baz',
    'a\nfoo\nbaz\n',
  ),
  accepted(
    'numbers with a bar',
    'foo\n  bar\n',
    '00001| foo\n00002|   bar',
    '00001| foo\n00002|   baz',
    'foo\n  baz\n',
  ),
  accepted('numbers with a colon', 'foo\n  bar\n', '1: foo\n2:   bar', '1: foo\n2:   baz', 'foo\n  baz\n'),
  accepted('numbers as grep prints them', 'a\n  foo()\n', '2:  foo()', '  bar()', 'a\n  bar()\n'),
  accepted(
    'numbers and blank lines',
    'foo\n\nbar\n',
    '1\tfoo\n2\t\n3\tbar',
    '1\tfoo\n2\t\n3\tbaz',
    'foo\n\nbaz\n',
  ),
  accepted(
    'numbers and new lines without',
    'foo\nbar\n',
    '1\tfoo\n2\tbar',
    '1\tfoo\nnew\n2\tbar',
    'foo\nnew\nbar\n',
  ),
  accepted(
    'numbers and a first line that begins in the middle',
    'x = foo(\n  a)\n',
    'foo(\n2\t  a)',
    'bar(\n  a)',
    'x = bar(\n  a)\n',
  ),
  accepted('numbers of an older state', 'x\nfoo\nbar\n', '7\tfoo\n8\tbar', '7\tfoo\n8\tbaz', 'x\nfoo\nbaz\n'),
  accepted(
    'numbers and another indentation',
    'f:\n\tfoo\n\tbar\n',
    '2\t    foo\n3\t    bar',
    '2\t    foo\n3\t    baz',
    'f:\n\tfoo\n\tbaz\n',
  ),
  accepted(
    'a file that has the numbers',
    '1\tfoo\n2\tbar\n',
    '1\tfoo\n2\tbar',
    '1\tfoo\n2\tbaz',
    '1\tfoo\n2\tbaz\n',
  ),
  refused('numbers that do not count up', 'foo\nbar\n', '10\tfoo\n99\tbar', 'x', /not found/),
  refused(
    'numbered lines in two places',
    'foo\nx\nfoo\n',
    '3\tfoo',
    '3\tbar',
    /matches 2 times, at lines 1, 3/,
  ),
];

const ESCAPES: EditCase[] = [
  accepted(
    'escaped line feeds',
    'foo();\nbar();\n',
    'foo();\\nbar();',
    'foo();\\nbaz();',
    'foo();\nbaz();\n',
  ),
  accepted(
    'escaped line feeds and tabs',
    'f {\n\tx\n}\n',
    'f {\\n\\tx\\n}',
    'f {\\n\\ty\\n}',
    'f {\n\ty\n}\n',
  ),
  accepted(
    'escaped line feeds in old only',
    'foo();\nbar();\n',
    'foo();\\nbar();',
    'foo();\nbaz("\\n");',
    'foo();\nbaz("\\n");\n',
  ),
  accepted('escaped quotes', 'say("hi");\n', 'say(\\"hi\\");', 'say(\\"ho\\");', 'say("ho");\n'),
  accepted('escaped backslashes', 'match(/\\d+/)\n', 'match(/\\\\d+/)', 'match(/\\\\w+/)', 'match(/\\w+/)\n'),
  accepted('an escape that the file has', 'print("a\\nb")\n', 'print("a\\nb")', 'print("c")', 'print("c")\n'),
  accepted('an apostrophe in escaped text', "don't\nstop\n", "don't\\nstop", "don't\\ngo", "don't\ngo\n"),
  refused(
    'an escape inside a string of new',
    'foo();\nbar();\n',
    'foo();\\nbar();',
    'foo();\\nbar("a\\nb");',
    /send real line breaks/,
  ),
  accepted(
    'entities',
    'if (a < b && c) {\n',
    'if (a &lt; b &amp;&amp; c) {',
    'if (a &gt; b &amp;&amp; c) {',
    'if (a > b && c) {\n',
  ),
  accepted(
    'entities that the file has',
    '<p>&lt;b&gt;</p>\n',
    '<p>&lt;b&gt;</p>',
    '<p>&lt;i&gt;</p>',
    '<p>&lt;i&gt;</p>\n',
  ),
  refused('entities beside plain characters', 'a < b && c\n', 'a < b &amp;&amp; c', 'x', /not found/),
  refused('entities in old, plain characters in new', 'a < b\n', 'a &lt; b', 'a > b &amp; c', /mixes/),
  accepted('code fences', 'a\nb\n', '```\na\nb\n```', '```\na\nc\n```', 'a\nc\n'),
  accepted('code fences with a language in old only', 'a\nb\n', '```ts\na\nb\n```', 'a\nc', 'a\nc\n'),
  accepted('code fences around numbers', 'a\nb\n', '```\n1\ta\n2\tb\n```', '```\n1\ta\n2\tc\n```', 'a\nc\n'),
  accepted('CRLF in old', 'a\nb\n', 'a\r\nb', 'a\r\nc', 'a\nc\n'),
  accepted('CRLF in the file', 'a\r\nb\r\n', 'a\nb', 'a\nc\nd', 'a\r\nc\r\nd\r\n'),
  accepted(
    'CRLF and indentation',
    'f {\r\n\ta\r\n\tb\r\n}\r\n',
    '  a\n  b',
    '  a\n  c',
    'f {\r\n\ta\r\n\tc\r\n}\r\n',
  ),
  accepted('CRLF and trailing blanks', 'a \r\nb\r\n', 'a\nb', 'a\nc', 'a \r\nc\r\n'),
];

const REFUSED: EditCase[] = [
  refused(
    'a similar line',
    'function retryAfter(ms: number) {}\n',
    'function retryAfter(seconds) {}',
    'x',
    /nearest text is at line 1/,
  ),
  refused(
    'a changed line in a block',
    'a();\nbbbb();\nc2();\n',
    'a();\nbbbb();\nc1();',
    'x',
    /differs from line 3 on, where it has `c2\(\);`/,
  ),
  refused(
    'an edit that was made',
    'const a = 2;\n',
    'const a = 1;',
    'const a = 2;',
    /`new` is already there, at line 1/,
  ),
  refused(
    'two exact places',
    'x = 1\ny\nx = 1\n',
    'x = 1',
    'x = 2',
    /matches 2 times, at lines 1, 3\. Add surrounding lines/,
  ),
  refused('nothing similar', 'abc\n', 'something entirely different', 'x', /Nothing in the file is similar/),
  refused('lines in another order', 'aaaa\nbbbb\n', 'bbbb\naaaa', 'x', /not found/),
  refused('lines left out', 'aaaa\nbbbb\ncccc\n', 'aaaa\n...\ncccc', 'x', /not found/),
  refused(
    'a comment for the lines between',
    'aaaa\nbbbb\ncccc\n',
    'aaaa\n// ... existing code ...\ncccc',
    'x',
    /not found/,
  ),
  refused('only blanks', 'a\n\n\nb\n', '   ', 'x', /not found/),
];

export const EDIT_CORPUS: readonly EditCase[] = [
  ...BLANKS,
  ...CHARACTERS,
  ...INDENTATION,
  ...NUMBERS,
  ...ESCAPES,
  ...REFUSED,
  {
    what: 'all places with other blanks',
    file: '\tx;\ny\n\tx;\n',
    old: '  x;',
    new: '  z;',
    all: true,
    expected: '\tz;\ny\n\tz;\n',
  },
  {
    what: 'all places of another number',
    file: 'foo\nx\nfoo\n',
    old: '1\tfoo',
    new: '1\tbar',
    all: true,
    expected: 'bar\nx\nbar\n',
  },
];
