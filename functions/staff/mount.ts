import type { Hono } from 'hono'
import type { C, Env, Services } from '#http/app.ts'
import type { PageHandlers } from './staff-page.ts'

/**
 * Add the operations page of staff. A browser signs in by posting an access token, which is then in a cookie
 * of this path; the page shows what `admin.operations.get` answers. All of it is loaded by the first call,
 * because few requests need it.
 */
export function mountStaffPage(app: Hono<Env>, services: Services): void {
  const routes = {
    view: ['GET', ''],
    style: ['GET', '/style.css'],
    signIn: ['POST', '/sign-in'],
    signOut: ['POST', '/sign-out'],
    replay: ['POST', '/replay'],
  } as const
  let handlers: PageHandlers | undefined
  for (const [name, [method, path]] of Object.entries(routes) as [
    keyof PageHandlers,
    readonly [string, string],
  ][]) {
    app.on(method, `/admin/operations${path}`, async (context) => {
      const c = context as C
      c.set('operation', `page.operations.${name}`)
      const { createPageHandlers } = await import('./staff-page.ts')
      handlers ??= createPageHandlers(services)
      return handlers[name](c)
    })
  }
}
