import { describe, expect, it } from 'vitest'
import { addParameters, isRedirectUri } from '#functions/oauth/redirect-uri.ts'

describe('MCP-14 a redirect address', () => {
  const long = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`
  it.each([
    'https://a.example/cb?x=1',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:9/cb',
    'com.raycast:/oauth',
    'cursor://cb',
    'vscode://publisher.extension/cb',
    long(500),
  ])('may be registered: %s', (uri) => expect(isRedirectUri(uri)).toBe(true))
  it.each([
    long(501),
    'http://a.example/cb',
    'http://localhost.example/cb',
    'https:a.example',
    'HTTPS:a.example',
    'https://a.example/#x',
    'https://a.example/\\x',
    'https://a.example/ä',
    'https://a.example/ x',
    'https://user@a.example/',
    'https://:secret@a.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ab:cb',
    'abc:cb',
    // What an operating system or a browser owns, or an unknown program.
    ...['com.example.app:/cb', 'microsoft.windows.camera:', 'com.apple.tv:x', 'com.microsoft.3dviewer:x'],
    ...[
      'ms-msdt:/id',
      'search-ms:query=x',
      'ms-officecmd:x',
      'ms-settings:x',
      'ms-word:ofe|u|x',
      'shell:startup',
    ],
    ...[
      'x-apple.systempreferences:x',
      'itms-services://x',
      'facetime:x',
      'ssh://a',
      'smb://a',
      'ldap://a',
      'onenote:x',
    ],
    ...[
      'jar:https://x',
      'chrome://settings',
      'edge://settings',
      'moz-extension://x',
      'resource://x',
      'mhtml:x',
    ],
    '//a.example',
    '',
  ])('may not be registered: %j', (uri) => expect(isRedirectUri(uri)).toBe(false))
  it('keeps its own parameters', () => {
    expect(addParameters('https://a.example/cb', { code: 'a b', state: undefined })).toBe(
      'https://a.example/cb?code=a+b',
    )
    expect(addParameters('https://a.example/cb?x=1', { code: 'c', iss: 'i' })).toBe(
      'https://a.example/cb?x=1&code=c&iss=i',
    )
  })
})
