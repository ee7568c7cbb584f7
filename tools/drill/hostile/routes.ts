/** A JSON schema, as far as requests are made from it. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** A route of the server, with what is known of its requests. */
export interface Route {
  readonly listener: 'public' | 'operator' | 'dashboard';
  readonly method: string;
  /** With its parameters in braces: `/v1/checkouts/{id}/hints`. */
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: Schema | undefined;
}

/** What `/openapi.json` says of each method of each path. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
}

/** One step of an Express router, as it keeps them. */
interface Layer {
  readonly rawPath: unknown;
  /** A handler, a router or an app of its own. */
  readonly handle: {
    readonly stack?: readonly Layer[];
    readonly router?: { readonly stack: readonly Layer[] };
  };
  readonly route?: {
    readonly path: string | readonly string[];
    readonly methods: Readonly<Record<string, boolean>>;
  };
}

/**
 * Every route of an Express app, taken from the app itself: a new one cannot be forgotten. What is
 * mounted for all methods is asked with OPTIONS, as by a preflight.
 */
export function listRoutes(
  app: unknown,
  listener: Route['listener'],
): Pick<Route, 'listener' | 'method' | 'path'>[] {
  const { stack } = (app as { readonly router: { readonly stack: readonly Layer[] } }).router;
  const found = walk(stack, '').map(({ method, path }) => ({
    listener,
    method: method === '_all' ? 'OPTIONS' : method.toUpperCase(),
    path: path.replace(/:(\w+)/g, '{$1}'),
  }));
  return [...new Map(found.map((route) => [`${route.method} ${route.path}`, route])).values()];
}

function walk(
  stack: readonly Layer[],
  prefix: string,
): { readonly method: string; readonly path: string }[] {
  return stack.flatMap(({ rawPath, handle, route }) => {
    if (route) {
      return [route.path]
        .flat()
        .flatMap((path) =>
          Object.keys(route.methods).map((method) => ({ method, path: `${prefix}${path}` })),
        );
    }
    const inner = handle.stack ?? handle.router?.stack;
    if (!inner) return [];
    if (typeof rawPath !== 'string') throw new Error('a router is mounted at several paths');
    return walk(inner, rawPath === '/' ? prefix : `${prefix}${rawPath}`);
  });
}

/** Adds what `/openapi.json` knows of query and body. */
export function describeRoutes(
  routes: readonly Pick<Route, 'listener' | 'method' | 'path'>[],
  { paths }: OpenApi,
): Route[] {
  return routes.map((route) => {
    const operation = paths[route.path]?.[route.method.toLowerCase()];
    const query = operation?.parameters.filter((parameter) => parameter.in === 'query') ?? [];
    return {
      ...route,
      query: query.map(({ name }) => name),
      body: operation?.requestBody?.content['application/json'].schema,
    };
  });
}
