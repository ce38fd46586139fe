import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import * as z from 'zod'
import { pageStyle } from '#http/page-style.ts'

const Form = z.object({
  token: z.string().max(200),
  email: z.email().max(320),
  name: z.string().max(200).default(''),
  group: z.string().max(256).default(''),
  action: z.enum(['provision', 'deprovision']),
})
type Form = z.infer<typeof Form>

/**
 * Create the page on which the local provider of an organisation provisions people as Entra does: it looks for the
 * person, then creates or changes them. `api` is the origin of the service.
 */
export function createProvisioningRoutes(api: string): Hono {
  const app = new Hono()
  app.get('/:name', (c) => sendPage(c, {}, ''))
  app.post('/:name', async (c) => {
    const { data, error } = Form.safeParse(await c.req.parseBody())
    if (!data) return sendPage(c, {}, z.prettifyError(error))
    const lines = await provision(`${api}/scim/v2`, data).catch((failure: Error) => [failure.message])
    return sendPage(c, data, lines.join('\n'))
  })
  return app
}

async function provision(base: string, { token, email, name, group, action }: Form): Promise<string[]> {
  const lines: string[] = []
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    lines.push(`${method} ${decodeURIComponent(path)}\n${response.status} ${text}\n`)
    return (text ? JSON.parse(text) : {}) as { id?: string; Resources?: { id: string }[] }
  }
  const find = async (path: string, attribute: string, value: string) =>
    (await call('GET', `${path}?filter=${encodeURIComponent(`${attribute} eq ${JSON.stringify(value)}`)}`))
      .Resources?.[0]?.id
  const patch = (path: string, ...Operations: object[]) =>
    call('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })
  const known = await find('/Users', 'userName', email)
  if (action === 'deprovision') {
    if (known) await patch(`/Users/${known}`, { op: 'Replace', path: 'active', value: 'False' })
    return lines
  }
  if (known) await patch(`/Users/${known}`, { op: 'Replace', path: 'active', value: 'True' })
  const user =
    known ?? (await call('POST', '/Users', { userName: email, displayName: name || email, active: true })).id
  if (!user || !group) return lines
  const groupId =
    (await find('/Groups', 'displayName', group)) ??
    (await call('POST', '/Groups', { displayName: group })).id
  if (groupId) await patch(`/Groups/${groupId}`, { op: 'Add', path: 'members', value: [{ value: user }] })
  return lines
}

function sendPage(c: Context, { token, email, name, group }: Partial<Form>, result: string) {
  return c.html(
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Local organisation</title><style>${raw(pageStyle)}</style></head>
<body><header><h1>Local organisation</h1></header>
<p>This local emulator provisions people with SCIM. The token is that of <code>POST /accounts/me/sso/scim-token</code>, and the domain of the e-mail one that the account has proved.</p>
<form method="post" class="row">
<input name="token" placeholder="sfs_…" required value="${token ?? ''}" /><input name="email" type="email" placeholder="e-mail" required value="${email ?? ''}" />
<input name="name" placeholder="name" value="${name ?? ''}" /><input name="group" placeholder="group" value="${group ?? ''}" />
<button name="action" value="provision">Provision</button><button name="action" value="deprovision">Deprovision</button></form>
<pre>${result}</pre>
</body></html>`,
    200,
    { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" },
  )
}
