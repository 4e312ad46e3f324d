/** Whether a program checks the work, such as a test, a linter or a compiler. */
export function isCheck(program: string): boolean {
  return !program.startsWith('git ') && !MENDING_SCRIPT.test(program) && CHECK.test(program);
}

/** `python fix_location_check.py` */
const MENDING_SCRIPT = /^\w+ \S*?(?:fix|apply|create|patch|update|debug|generate)[-_]/i;

const CHECK =
  /test|check(?!point|out)|lint|build|compile|verify|\b(?:tsc|vet|clippy|mypy|ruff|jest|vitest|pytest|tox|make|gradlew?|mvn|rspec|phpunit)\b/i;
