import { PsaError } from './psa.ts'

/**
 * A path below a provider's API. Only `apiPath` creates one, so that no call can put an unencoded value into
 * its path.
 */
export type ApiPath = string & { readonly kind: 'ApiPath' }

/**
 * Write a path, as in apiPath`/service/tickets/${id}/notes`. Each value stays within its segment. Throw
 * `missing` for a value that no record has as its id: an empty one, and the names of the same and the parent
 * folder, which no encoding protects.
 */
export function apiPath(texts: TemplateStringsArray, ...values: readonly string[]): ApiPath {
  return texts
    .map((text, index) => text + (index < values.length ? encodeSegment(values[index] ?? '') : ''))
    .join('') as ApiPath
}

function encodeSegment(value: string): string {
  if (['', '.', '..'].includes(value) || !value.isWellFormed())
    throw new PsaError('missing', 'The ticketing system has no such record')
  return encodeURIComponent(value)
}

export type Query = Record<string, string | number>
/** Read a path of a provider's API and return its JSON. */
export type Get = (path: ApiPath, query?: Query) => Promise<unknown>
