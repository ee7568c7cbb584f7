import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '..');
/** They hand on the promises that they are given: those are looked at themselves. */
const CHAINED = ['then', 'catch', 'finally'];

/** A call that is answered later, or a promise that is waited for. */
export interface FoundPromise {
  readonly file: string;
  readonly line: number;
  /** As it is written, on one line; of `new Promise` not what it is given. */
  readonly text: string;
  /** What becomes of it where it stands. */
  readonly use: 'awaited' | 'returned' | 'left alone';
  /**
   * What is called: `Interface.method`, the name of a type of functions, or `own` for a function of
   * the files that are looked at. A promise that is no call has none.
   */
  readonly target: string | undefined;
  /** Whether a crash point stands right after its statement. */
  readonly hasPoint: boolean;
}

/** The source files that are no tests, relative to `src`. */
export function listSources(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith('testing/'))
    .filter((name) => !/\.(test|contract)\.ts$/.test(name));
}

/**
 * Finds every promise in the source of the server, by the types.
 *
 * @param isOwn which files have a look at their own functions
 */
export function findPromises(isOwn: (file: string) => boolean): FoundPromise[] {
  const files = listSources();
  const config = ts.getParsedCommandLineOfConfigFile(
    join(SOURCE, '../tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const program = ts.createProgram(
    files.map((file) => join(SOURCE, file)),
    config?.options ?? {},
  );
  const finder = new PromiseFinder(program.getTypeChecker(), isOwn);
  return files.flatMap((file) => {
    const source = program.getSourceFile(join(SOURCE, file));
    if (!source) throw new Error(`${file} cannot be read`);
    return finder.find(file, source);
  });
}

/** The name in `crashPoint('…');`, also when that stands behind an `if`. */
export function pointOf(node: ts.Node | undefined): string | undefined {
  if (node && ts.isIfStatement(node)) return pointOf(node.thenStatement);
  if (!node || !ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) {
    return undefined;
  }
  const { expression, arguments: given } = node.expression;
  if (expression.getText() !== 'crashPoint') return undefined;
  const [name] = given;
  return name && ts.isStringLiteral(name) ? name.text : undefined;
}

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

class PromiseFinder {
  readonly #checker: ts.TypeChecker;
  readonly #isOwn: (file: string) => boolean;

  constructor(checker: ts.TypeChecker, isOwn: (file: string) => boolean) {
    this.#checker = checker;
    this.#isOwn = isOwn;
  }

  find(file: string, source: ts.SourceFile): FoundPromise[] {
    const found: FoundPromise[] = [];
    visit(source, (node) => {
      const promise = this.#promiseAt(node);
      if (!promise) return;
      found.push({
        file,
        line: source.getLineAndCharacterOfPosition(promise.getStart()).line + 1,
        text: textOf(promise),
        use: useOf(promise),
        target: ts.isCallExpression(promise) ? this.#targetOf(promise) : undefined,
        hasPoint: isBeforePoint(promise),
      });
    });
    return found;
  }

  /** Calls by what they answer; what is no call only where it is waited for. */
  #promiseAt(node: ts.Node): ts.Node | undefined {
    if (ts.isAwaitExpression(node) && !ts.isCallExpression(bare(node.expression))) {
      return bare(node.expression);
    }
    if (ts.isForOfStatement(node) && node.awaitModifier) return node.expression;
    if (!ts.isCallExpression(node) || handsOn(node)) return undefined;
    const type = this.#checker.getTypeAtLocation(node);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some((part) => part.getSymbol()?.name === 'Promise') ? node : undefined;
  }

  #targetOf(call: ts.CallExpression): string {
    const declaration = this.#checker.getResolvedSignature(call)?.declaration;
    if (!declaration) return call.expression.getText();
    const file = relative(SOURCE, declaration.getSourceFile().fileName).split(sep).join('/');
    if ('body' in declaration && declaration.body && this.#isOwn(file)) return 'own';
    return namesAround(declaration).join('.');
  }
}

function textOf(promise: ts.Node): string {
  const text = promise.getText().replaceAll(/\s+/g, ' ');
  return ts.isNewExpression(promise) ? text.replace(/\(.*/, '') : text;
}

/** Whether a call only hands on the promises that it is given or called on. */
function handsOn({ expression }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression)) return false;
  if (expression.expression.getText() === 'Promise') return true;
  return CHAINED.includes(expression.name.text);
}

function bare(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}

/** The names of a declaration and of what it is part of, outermost first; two at most. */
function namesAround(declaration: ts.Node): string[] {
  const names: string[] = [];
  for (let node = declaration; !ts.isSourceFile(node) && names.length < 2; node = node.parent) {
    const name = 'name' in node ? (node.name as ts.Node | undefined) : undefined;
    if (name) names.unshift(name.getText());
  }
  return names;
}

/** Goes out from a promise through what hands it on, to what becomes of it. */
function useOf(promise: ts.Node): FoundPromise['use'] {
  let node = promise;
  for (;;) {
    const { parent } = node;
    if (ts.isAwaitExpression(parent) || ts.isForOfStatement(parent)) return 'awaited';
    if (ts.isReturnStatement(parent)) return 'returned';
    if (ts.isArrowFunction(parent) && parent.body === node) return 'returned';
    if (!handsOnTo(node, parent)) return 'left alone';
    node = parent;
  }
}

function handsOnTo(node: ts.Node, parent: ts.Node): boolean {
  if (ts.isCallExpression(parent)) return handsOn(parent);
  if (ts.isPropertyAccessExpression(parent)) return CHAINED.includes(parent.name.text);
  return (
    ts.isParenthesizedExpression(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isSpreadElement(parent) ||
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    ts.isBinaryExpression(parent)
  );
}

/** Whether a crash point is the next thing that is done after its statement. */
function isBeforePoint(node: ts.Node): boolean {
  let statement = node;
  while (!ts.isBlock(statement.parent) && !ts.isCaseOrDefaultClause(statement.parent)) {
    statement = statement.parent;
    if (ts.isFunctionLike(statement) || ts.isSourceFile(statement)) return false;
  }
  if (!ts.isExpressionStatement(statement) && !ts.isVariableStatement(statement)) return false;
  const { statements } = statement.parent;
  const index = statements.findIndex((sibling) => sibling === statement);
  return pointOf(statements[index + 1]) !== undefined;
}
