import { TokenctlError } from "../errors.ts";

/** Gives errors the caller's stack: after an `await` the engine has only this package's frames. */
export function fromCaller<T>(called: { readonly name: string }, work: () => T): T {
  const at = new Error();
  const show = (error: unknown): never => {
    const frames = at.stack?.match(/^ +at .*$/gm);
    if (error instanceof TokenctlError && frames) {
      // JavaScriptCore has no frame of a function that ends in a tail call.
      const own = new RegExp(`^ +at .*\\b(?:fromCaller|${called.name})\\b.* \\(`);
      while (frames[0] !== undefined && own.test(frames[0])) frames.shift();
      error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
    }
    throw error;
  };
  try {
    const result = work();
    if (result instanceof Promise) return result.catch(show) as T;
    const isGenerator = Symbol.asyncIterator in Object(result);
    return isGenerator ? (passOn(result as AsyncGenerator, show) as T) : result;
  } catch (error) {
    return show(error);
  }
}

async function* passOn<T>(items: AsyncGenerator<T>, show: (error: unknown) => never) {
  try {
    yield* items;
  } catch (error) {
    show(error);
  }
}

export function showCallers({ prototype }: { readonly prototype: object }): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value, ...property } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    if (name === "constructor" || typeof value !== "function") continue;
    const calledMethod = function (this: object, ...given: unknown[]) {
      return fromCaller(calledMethod, () => value.apply(this, given));
    };
    Object.defineProperty(prototype, name, { ...property, value: calledMethod });
  }
}
