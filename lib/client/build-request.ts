import type { CallOptions } from './call-types.ts'

/** How to call an operation: its line in the table, parsed. */
export interface Route {
  id: string
  method: string
  path: string
  traits: ReadonlySet<string>
}

/** The fields of the path, the query and the body in one object, or a body that is a union. */
export type CallInput = Record<string, unknown>

export interface RequestParts {
  method: string
  url: string
  headers: Record<string, string>
  body: string | FormData | null
  signal: AbortSignal | undefined
  onHeaders?: CallOptions['onHeaders']
}

/** Parse a line of the table. */
export function parseRoute(id: string, line: string): Route {
  const [method = 'get', path = '/', ...traits] = line.split(' ')
  return { id, method, path, traits: new Set(traits) }
}

/**
 * Build the request of a call. Fields that are not in the path belong to the body if the operation has one,
 * otherwise to the query. The selection of fields is in the query.
 */
export function buildRequest(
  baseUrl: string,
  route: Route,
  input: CallInput,
  options: CallOptions & { background?: boolean | undefined; fields?: readonly PropertyKey[] | undefined },
): RequestParts {
  const { path, rest } = fillPath(route, input)
  const body = buildBody(route, rest)
  const headers: Record<string, string> = { accept: 'application/json, */*' }
  if (typeof body === 'string') headers['content-type'] = 'application/json'
  if (route.traits.has('key')) headers['idempotency-key'] = options.idempotencyKey ?? createKey()
  if (options.background) headers.prefer = 'respond-async'
  const selection = options.fields ? { fields: options.fields } : {}
  const query = buildQuery(body === null ? { ...rest, ...selection } : selection)
  const { signal, onHeaders } = options
  return {
    method: route.method.toUpperCase(),
    url: `${baseUrl}/api/v1${path}${query}`,
    headers,
    body,
    signal,
    onHeaders,
  }
}

function fillPath({ id, path }: Route, input: CallInput): { path: string; rest: CallInput } {
  const rest = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name] === undefined || rest[name] === null ? '' : String(rest[name])
    // A URL would drop these segments, and the request would reach another operation.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`${id} needs ${name}`)
    delete rest[name]
    return encodeURIComponent(value)
  })
  return { path: filled, rest }
}

function buildBody({ traits }: Route, fields: CallInput): string | FormData | null {
  if (traits.has('file') && fields.file instanceof Blob) return buildForm(fields.file, fields.filename)
  return traits.has('body') ? JSON.stringify(fields) : null
}

function buildForm(file: Blob, filename: unknown): FormData {
  const form = new FormData()
  if (typeof filename === 'string') form.append('file', file, filename)
  else form.append('file', file)
  return form
}

function buildQuery(fields: CallInput): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return query && `?${query}`
}

/** Create a random key. `crypto.randomUUID` does not exist on pages without TLS. */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
