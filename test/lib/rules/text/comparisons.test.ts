import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Files that change the cases of a text or compare it without them, with what the text is. */
const otherTexts: Record<string, readonly string[]> = {
  'the forms themselves': [
    'lib/rules/text/fold.ts',
    'migrations/0001_tenancy.sql',
    'lib/rules/text/words.ts',
  ],
  'e-mail addresses, whose letters are those of ASCII': [
    'functions/accounts/invites/queries.ts',
    'functions/accounts/sso/service.ts',
    'functions/identity/auth/queries.ts',
    'functions/identity/auth/service.ts',
    'functions/identity/credentials/queries.ts',
    'functions/identity/email-changes/queries.ts',
    'functions/identity/email-changes/service.ts',
    'functions/identity/oauth/service.ts',
    'functions/identity/sso/queries.ts',
    'functions/notifications/messages/queries.ts',
    'functions/psa/members/service.ts',
    'lib/ops/admin.ts',
    'lib/vendors/auth/passwords.ts',
    'migrations/0003_accounts.sql',
    'migrations/0005_sign_in.sql',
    'migrations/0011_notifications.sql',
    'migrations/0012_mail.sql',
    'migrations/0026_on_call.sql',
    'migrations/0033_account_data.sql',
  ],
  'host names, ids and colours': [
    'functions/accounts/sso/schemas.ts',
    'functions/accounts/teams/schemas.ts',
    'functions/admin/plans/schemas.ts',
    'functions/ai/lookups/service.ts',
    'functions/flows/transfer/service.ts',
    'lib/rules/diagrams/colours.ts',
    'lib/rules/flows/subflow.ts',
    'lib/rules/text/hostname.ts',
    'lib/rules/uuid.ts',
    'lib/vendors/auth/recovery-codes.ts',
    'lib/vendors/net/guard.ts',
    'lib/vendors/psa/callbacks.ts',
    'lib/vendors/psa/connectwise.ts',
  ],
  'words of a protocol, a setting or a format': [
    'functions/jobs/service.ts',
    'functions/mcp/tool-schemas.ts',
    'lib/db/describe-statement.ts',
    'lib/http/ai-task.ts',
    'lib/http/body.ts',
    'lib/http/form.ts',
    'lib/http/openapi/components.ts',
    'lib/http/openapi/document.ts',
    'lib/http/operation.ts',
    'lib/http/response.ts',
    'lib/http/routes.ts',
    'lib/http/socket-request.ts',
    'lib/platform/node/pretty-line.ts',
    'lib/platform/node/settings.ts',
    'lib/rules/alerts/parse-alerts.ts',
    'lib/rules/diagrams/drawio-container.ts',
    'lib/rules/diagrams/drawio.ts',
    'lib/rules/diagrams/mermaid-write.ts',
    'lib/rules/flows/fill-markdown.ts',
    'lib/rules/flows/markdown/front-matter.ts',
    'lib/rules/flows/markdown/intake-table.ts',
    'lib/rules/flows/markdown/nodes.ts',
    'lib/rules/flows/markdown/read.ts',
    'lib/rules/flows/markdown/sections.ts',
    'lib/rules/knowledge/article.ts',
    'lib/rules/knowledge/call-outs.ts',
    'lib/rules/knowledge/docx-numbering.ts',
    'lib/rules/knowledge/docx.ts',
    'lib/rules/knowledge/go-on.ts',
    'lib/rules/knowledge/html-styles.ts',
    'lib/rules/knowledge/html-tree.ts',
    'lib/rules/knowledge/markdown-html.ts',
    'lib/rules/knowledge/markdown-references.ts',
    'lib/rules/knowledge/pdf-syntax.ts',
    'lib/rules/schedules/cron.ts',
    'lib/rules/text/accept.ts',
    'lib/rules/text/direction-controls.ts',
    'lib/rules/text/json.ts',
    'lib/vendors/ai/openai-answer.ts',
    'lib/vendors/net/refusal.ts',
    'lib/vendors/net/wire.ts',
  ],
  'a script, whose language says which cases count': globSync('lib/rules/scripts/**/*.ts'),
  'a capital letter at the start of a sentence': [
    'functions/admin/plans/queries.ts',
    'lib/rules/events/approval-alert.ts',
    'lib/rules/events/escalation-alert.ts',
    'lib/rules/knowledge/flow-tree.ts',
    'lib/rules/oncall/handover.ts',
    'lib/rules/reports/labels.ts',
    'lib/vendors/ai/documentation.ts',
  ],
  'the bound of a range of numbers': ['migrations/0010_webhooks.sql'],
  'an order, not a comparison': ['functions/runner/agents/service.ts', 'lib/vendors/psa/wire.ts'],
  'a text that is shown or hashed in another form': [
    'lib/rules/knowledge/pdf-fonts.ts',
    'lib/rules/masking/mask.ts',
    'lib/rules/pdf/line-layout.ts',
  ],
  'words of English and the material of a model': [
    'functions/ai/sessions/queries.ts',
    'lib/rules/masking/secret-labels.ts',
    'migrations/0029_knowledge.sql',
  ],
}
const comparison =
  /\.to(?:Locale)?(?:Lower|Upper)Case\(|\.normalize\('NF|(?<![\w.])(?:lower|upper|initcap)\(|\bilike\b|localeCompare/

it('WIR-83 compares texts of people in one form', () => {
  const files = globSync(['{functions,lib}/**/*.ts', 'migrations/*.sql'], {
    exclude: ['lib/local/**', 'lib/client/**'],
  })
  const comparing = files.filter((file) => comparison.test(readFileSync(file, 'utf8')))
  const listed = Object.values(otherTexts).flat()
  expect(comparing.filter((file) => !listed.includes(file)).toSorted()).toEqual([])
  expect(
    listed.filter((file) => !file.startsWith('lib/rules/scripts/') && !comparing.includes(file)),
    'compare nothing any more',
  ).toEqual([])
})
