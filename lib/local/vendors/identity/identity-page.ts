import { html, raw } from 'hono/html'
import { pageStyle } from '#http/page-style.ts'
import type { Html } from '#local/dashboard/chat.ts'
import type { ProviderName } from '#vendors/auth/oidc.ts'
import { demoTenantId, type Persona, personas } from './identity-personas.ts'

const pages: Record<ProviderName, { name: string; renderFields: () => Html }> = {
  google: { name: 'Google', renderFields: renderGoogleFields },
  microsoft: { name: 'Microsoft', renderFields: renderMicrosoftFields },
}

/**
 * Render the sign-in page of a local provider. Every form contains the authorization request as hidden
 * fields.
 */
export function renderIdentityPage(provider: ProviderName, request: Record<string, string>): Html {
  const hidden = Object.entries(request).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  const title = `Local ${pages[provider].name}`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>${title}</title><style>${raw(pageStyle)}</style></head>
<body><header><h1>${title}</h1></header>
<p>This is a local emulator of the provider. Choose who signs in; no password is needed.</p>
${personas[provider].map(({ persona, description }) => renderChoice(persona, description, hidden))}
<h2>Another person</h2>
<form method="post" class="row">${hidden}
<input name="email" type="email" placeholder="e-mail" required /><input name="name" placeholder="name" />
${pages[provider].renderFields()}
<button>Continue</button></form>
<h2>Refuse</h2>
<form method="post">${hidden}<button name="deny" value="true">Deny</button></form>
</body></html>`
}

function renderChoice(persona: Partial<Persona>, description: string, hidden: Html[]): Html {
  const fields = Object.entries(persona).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  return html`<form method="post" class="row">${hidden}${fields}<button>${persona.name}</button>
<span>${persona.email}</span><span class="small">${description}</span></form>`
}

function renderGoogleFields(): Html {
  return html`<input name="sub" placeholder="sub (derived from the e-mail)" />
<label>e-mail verified <select name="email_verified"><option>true</option><option>false</option></select></label>`
}

function renderMicrosoftFields(): Html {
  return html`<input name="oid" placeholder="oid (derived from the e-mail)" /><input name="tid" placeholder="tid (${demoTenantId})" />`
}

/**
 * Render the page that a provider shows when it cannot redirect, because the client or its redirect URI is
 * not registered.
 */
export function renderRefusalPage(reason: string): Html {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Refused</title></head><body><h1>Refused</h1><p>${reason}</p></body></html>`
}
