// The reference reads the same document that the tests hold every answer to.
const untouched = new Set(['example', 'default', 'const', 'enum'])

// A document of OpenAPI 3.1 as the page's reader of 3.0 takes it, which shows it in a tenth of the time.
function asOlder(value) {
  if (Array.isArray(value)) return value.map(asOlder)
  if (typeof value !== 'object' || value === null) return value
  const older = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, untouched.has(key) ? one : asOlder(one)]))
  if (Array.isArray(older.type)) {
    older.nullable = older.type.includes('null')
    older.type = older.type.find((type) => type !== 'null')
  }
  if (Array.isArray(older.examples)) {
    older.example ??= value.examples[0]
    delete older.examples
  }
  return older
}

const answer = await fetch('/openapi.json')
const served = await answer.json()
window.SwaggerUIBundle({
  spec: { ...asOlder(served), openapi: '3.0.3' },
  dom_id: '#reference',
  deepLinking: true,
  // Of hundreds of operations first the groups, and a field to narrow them by; a shape is shown where it is used.
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
