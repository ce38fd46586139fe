import { expect } from 'vitest'
import type * as z from 'zod'
import type { AnyOperation } from '#http/operation.ts'
import {
  type ApiResponse,
  authorizationHeader,
  request,
  type Service,
  sendHeadersOnly,
} from '#test/support/app.ts'
import type { Person, TestAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'
import type { Sample } from './fixture-rows.ts'

type RoleName = 'viewer' | 'leadingViewer' | 'engineer' | 'teamAdmin' | 'admin' | 'superAdmin'
interface Role {
  options: NonNullable<Parameters<TestAccount['addColleague']>[0]>
  grants: readonly string[]
}

/** The options that create a user of each role, and the values of `access` that allow the role. */
export const roles: Record<RoleName, Role> = {
  viewer: { options: { role: 'viewer' }, grants: ['user'] },
  leadingViewer: { options: { role: 'viewer', teamRole: 'admin' }, grants: ['user', 'team_admin'] },
  engineer: { options: { role: 'engineer' }, grants: ['user', 'engineer'] },
  teamAdmin: { options: { role: 'engineer', teamRole: 'admin' }, grants: ['user', 'engineer', 'team_admin'] },
  admin: {
    options: { role: 'admin' },
    grants: ['user', 'engineer', 'team_admin', 'account_admin', 'account_or_super_admin'],
  },
  superAdmin: {
    options: { role: 'engineer', superAdmin: true },
    grants: ['user', 'engineer', 'account_or_super_admin', 'super_admin'],
  },
}

/** Create a user who may call the operation. */
export function createPermittedCaller(op: AnyOperation, account: TestAccount): Promise<Person> {
  return account.addColleague(roles[op.access === 'super_admin' ? 'superAdmin' : 'admin'].options)
}
/** Create a user whom the operation refuses. */
export function createRefusedCaller(op: AnyOperation, account: TestAccount): Promise<Person> {
  return account.addColleague(roles[op.access === 'super_admin' ? 'admin' : 'viewer'].options)
}

/** Return the path under /api/v1 with the query. */
export function toPath(op: AnyOperation, { params = {}, query = {} }: Sample): string {
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search ? `${path}?${search}` : path
}

interface SendOptions {
  token?: string | null
  headers?: Record<string, string>
  raw?: string
  /** Content-Length to announce without sending a body. */
  size?: number
}

/** Send a sample from a random client address. */
export function send(
  service: Service,
  op: AnyOperation,
  sample: Sample,
  { token, headers = {}, raw, size }: SendOptions = {},
): Promise<ApiResponse> {
  const content = toContent(sample, raw)
  const contentHeaders = raw === undefined && !size ? sample.content?.headers : {}
  const allHeaders = { 'cf-connecting-ip': randomIpAddress(), ...contentHeaders, ...headers }
  if (size)
    return sendHeadersOnly(`${service.api}/api/v1${toPath(op, sample)}`, op.method, size, {
      ...allHeaders,
      ...authorizationHeader(token),
    })
  return request(service, op.method.toUpperCase(), toPath(op, sample), {
    ...content,
    token: token ?? null,
    headers: allHeaders,
  })
}

function toContent(
  { body, content }: Sample,
  raw: string | undefined,
): { body?: unknown; raw?: string | Uint8Array } {
  if (raw !== undefined) return { raw }
  if (content) return { raw: content.bytes }
  return body === undefined ? {} : { body }
}

/** Expect the operation's success status, and a body of the declared type and schema. */
export function expectSuccess(op: AnyOperation, response: ApiResponse) {
  expect([response.status, response.text, response.error]).toEqual([
    op.success,
    op.returns || op.produces ? expect.any(String) : '',
    undefined,
  ])
  if (op.produces) expect(op.produces).toContain(response.headers.get('content-type')?.split(';')[0])
  if (!op.returns || (op.produces && !response.headers.get('content-type')?.startsWith('application/json')))
    return
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect((op.returns as z.ZodType).safeParse(response.body).error).toBeUndefined()
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Return whether an operation's body accepts any field. */
export function hasOpenBody({ body }: AnyOperation): boolean {
  return (
    body !== undefined &&
    !JSON.stringify(body.safeParse({ zz_unknown: 1 }).error?.issues ?? []).includes('unrecognized_keys')
  )
}

/** Return whether an operation's path parameters are ids, not codes or names. */
export function hasUuidParams({ params }: AnyOperation): boolean {
  const accepts = (text: string) =>
    params?.safeParse(Object.fromEntries(Object.keys(params.shape).map((name) => [name, text]))).success
  return accepts(crypto.randomUUID()) === true && accepts('x') === false
}

/** Replace every row id in path and body. */
export function mapIds({ params, query, body, content }: Sample, change: (id: string) => string): Sample {
  const map = <V>(values: Record<string, V>) =>
    Object.entries(values).map(([key, value]) => [key, isId(value) ? change(value) : value])
  return {
    ...(params && { params: Object.fromEntries(map(params)) }),
    ...(query && { query }),
    ...(body && { body: Object.fromEntries(map(body)) }),
    ...(content && { content }),
  }
}

/** Return the row ids in path and body. */
export function listIds(sample: Sample): string[] {
  return [...Object.values(sample.params ?? {}), ...Object.values(sample.body ?? {})].filter(isId)
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}
