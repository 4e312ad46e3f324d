import { describe, expect, it } from 'vitest';
import { splitDiff } from './split-diff.ts';

const DIFF = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,2 @@
 one
-two
+zwei
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-last
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git "a/t\\303\\244b\\tx" "b/t\\303\\244b\\tx"
new file mode 100755
--- /dev/null
+++ "b/t\\303\\244b\\tx"
@@ -0,0 +1 @@
+diff --git is a text here
`;

describe('splitDiff', () => {
  const files = splitDiff(DIFF);

  it('names each file as it is after the change, or as it was', () => {
    expect(files.map(({ path }) => path)).toEqual(['src/a.ts', 'gone.txt', 'new name.txt', 'täb\tx']);
  });

  it('reads the lines of each file', () => {
    expect(files[0]?.lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'one'],
      ['removed', 'two'],
      ['added', 'zwei'],
    ]);
    expect(files[3]?.lines).toMatchObject([{ kind: 'added', text: 'diff --git is a text here' }]);
  });

  it('shows what changed without lines', () => {
    expect(files[2]?.lines.map(({ text }) => text)).toEqual([
      'similarity index 100%',
      'rename from old name.txt',
      'rename to new name.txt',
    ]);
  });

  it('finds nothing in an empty diff', () => expect(splitDiff('')).toEqual([]));
});
