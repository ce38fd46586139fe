import type { AnyOperation } from '../../lib/http/operation.ts'
import { type ApiResponse, authorizationHeader, request, type Service, sendHeadersOnly } from '../support/app.ts'
import type { Person, TestAccount } from '../support/people.ts'
import { randomIpAddress } from '../support/public-requests.ts'
import type { Sample } from './fixture-rows.ts'

type RoleName = 'viewer' | 'leadingViewer' | 'engineer' | 'teamAdmin' | 'admin' | 'superAdmin'
interface Role {
  is: NonNullable<Parameters<TestAccount['addColleague']>[0]>
  may: readonly string[]
}

/** The people of an account, with the words of `access` that let them in. */
export const roles: Record<RoleName, Role> = {
  viewer: { is: { role: 'viewer' }, may: ['user'] },
  leadingViewer: { is: { role: 'viewer', teamRole: 'admin' }, may: ['user', 'team_admin'] },
  engineer: { is: { role: 'engineer' }, may: ['user', 'engineer'] },
  teamAdmin: { is: { role: 'engineer', teamRole: 'admin' }, may: ['user', 'engineer', 'team_admin'] },
  admin: { is: { role: 'admin' }, may: ['user', 'engineer', 'team_admin', 'account_admin', 'account_or_super_admin'] },
  superAdmin: { is: { role: 'engineer', superAdmin: true }, may: ['user', 'engineer', 'account_or_super_admin', 'super_admin'] },
}

/** A fresh colleague whom the operation lets in, or one it refuses. */
export function permitted(op: AnyOperation, account: TestAccount): Promise<Person> {
  return account.addColleague(roles[op.access === 'super_admin' ? 'superAdmin' : 'admin'].is)
}
export function refused(op: AnyOperation, account: TestAccount): Promise<Person> {
  return account.addColleague(roles[op.access === 'super_admin' ? 'admin' : 'viewer'].is)
}

/** The path below /api/v1, query included. */
export function pathOf(op: AnyOperation, { params = {}, query = {} }: Sample): string {
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search ? `${path}?${search}` : path
}

interface Sending {
  token?: string | null
  headers?: Record<string, string>
  raw?: string
  /** Announces a body of so many bytes and sends none of it. */
  size?: number
}

/** Sends a sample as somebody, from an address of its own. */
export function send(
  service: Service,
  op: AnyOperation,
  sample: Sample,
  { token, headers = {}, raw, size }: Sending = {},
): Promise<ApiResponse> {
  const content = contentOf(sample, raw)
  const own = raw === undefined && !size ? sample.content?.headers : {}
  const all = { 'cf-connecting-ip': randomIpAddress(), ...own, ...headers }
  if (size) return sendHeadersOnly(`${service.api}/api/v1${pathOf(op, sample)}`, op.method, size, { ...all, ...authorizationHeader(token) })
  return request(service, op.method.toUpperCase(), pathOf(op, sample), { ...content, token: token ?? null, headers: all })
}

function contentOf({ body, content }: Sample, raw: string | undefined): { body?: unknown; raw?: string | Uint8Array } {
  if (raw !== undefined) return { raw }
  if (content) return { raw: content.bytes }
  return body === undefined ? {} : { body }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether an operation's body is an open object, which takes any key. */
export function isOpen({ body }: AnyOperation): boolean {
  return body !== undefined && !JSON.stringify(body.safeParse({ zz_unknown: 1 }).error?.issues ?? []).includes('unrecognized_keys')
}

/** Whether an operation's path names rows by their ids, and not by a code or a name. */
export function takesUuids({ params }: AnyOperation): boolean {
  const takes = (text: string) => params?.safeParse(Object.fromEntries(Object.keys(params.shape).map((name) => [name, text]))).success
  return takes(crypto.randomUUID()) === true && takes('x') === false
}

/** The same request with every id of a row, in path and body, put through `change`. */
export function withIds({ params, query, body, content }: Sample, change: (id: string) => string): Sample {
  const map = <V>(values: Record<string, V>) => Object.entries(values).map(([key, value]) => [key, isId(value) ? change(value) : value])
  return {
    ...(params && { params: Object.fromEntries(map(params)) }),
    ...(query && { query }),
    ...(body && { body: Object.fromEntries(map(body)) }),
    ...(content && { content }),
  }
}

/** The ids of rows that a sample names, in path and body. */
export function idsOf(sample: Sample): string[] {
  return [...Object.values(sample.params ?? {}), ...Object.values(sample.body ?? {})].filter(isId)
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}
