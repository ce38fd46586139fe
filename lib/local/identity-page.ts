import { html, raw } from 'hono/html'
import type { ProviderName } from '../auth/oidc.ts'
import { deskStyle } from './desk-assets.ts'
import type { Html } from './desk-chat.ts'
import { demoTenant, type Persona, people } from './identity-people.ts'

/** The page where a person says who they are, or that they would rather not. Every form carries the request on. */
export function identityPage(provider: ProviderName, request: Record<string, string>): Html {
  const hidden = Object.entries(request).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
  const title = `Local ${provider === 'google' ? 'Google' : 'Microsoft'}`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>${title}</title><style>${raw(deskStyle)}</style></head>
<body><header><h1>${title}</h1></header>
<p>This page stands in for the provider's. Who are you? There are no passwords here.</p>
${people[provider].map(({ persona, what }) => choice(persona, what, hidden))}
<h2>Somebody else</h2>
<form method="post" class="row">${hidden}
<input name="email" type="email" placeholder="e-mail" required /><input name="name" placeholder="name" />
${provider === 'google' ? googleFields() : microsoftFields()}
<button>Go on</button></form>
<h2>Nobody</h2>
<form method="post">${hidden}<button name="deny" value="true">Deny</button></form>
</body></html>`
}

function choice(persona: Partial<Persona>, what: string, hidden: Html[]): Html {
  const fields = Object.entries(persona).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
  return html`<form method="post" class="row">${hidden}${fields}<button>${persona.name}</button>
<span>${persona.email}</span><span class="small">${what}</span></form>`
}

function googleFields(): Html {
  return html`<input name="sub" placeholder="sub (from the address)" />
<label>address verified <select name="email_verified"><option>true</option><option>false</option></select></label>`
}

function microsoftFields(): Html {
  return html`<input name="oid" placeholder="oid (from the address)" /><input name="tid" placeholder="tid (${demoTenant})" />`
}

/** What a provider shows instead of sending the browser somewhere it was never told of. */
export function refusalPage(reason: string): Html {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Refused</title></head><body><h1>Refused</h1><p>${reason}</p></body></html>`
}
