import { expect, it } from 'vitest'
import { convertHtmlToText } from '#rules/knowledge/html-to-text.ts'

const documentHtml = `<style>p{margin:0}</style><p>The printer&rsquo;s offline &ndash; 50&nbsp;&euro;, caf&eacute;</p>
<table><tr><td>Host</td><td>SRV01</td></tr><tr><th>OS</th> <td>Windows</td></tr></table>`

it.each([
  [documentHtml, 'The printer’s offline – 50 €, café\nHost SRV01\nOS Windows'],
  ['<h2>Title</h2>text<hr>more', 'Title\ntext\nmore'],
  ['It&apos;s &#x27;so&#39; &amp;lt;', "It's 'so' &lt;"],
  ['a<br>b<br/><br>c', 'a\nb\n\nc'],
  ['<p>a</p><p><br></p><p>b</p><div><div>c</div></div>', 'a\n\nb\nc'],
  ['<p>a</p>\n\n<p>b\n c</p>', 'a\nb c'],
  ['<ul><li>a<li><p>b</p></ul>c', '- a\n- b\nc'],
  ['<pre>if x:\n  y</pre> z', 'if x:\n  y\nz'],
  ['a\n\nb &lt; c', 'a\n\nb < c'],
  ['<a href="https://a.example/x">the page</a>', 'the page (https://a.example/x)'],
  [
    '<a href="https://a.example/">https://a.example</a>, <a href="http://b.example">b.example</a>',
    'https://a.example, b.example',
  ],
  [
    '<a href="mailto:a@b.example">a@b.example</a> <a href="#x">x</a> <a href="javascript:y">y</a>',
    'a@b.example x y',
  ],
  ['a<script>b()</script><title>c</title><img alt="d">', 'a d'],
  ['<p>a <b>b', 'a b'],
  ['<tr><td><p>Host</p></td><td><p>SRV01</p></td></tr><tr><td>OS<td>Windows</tr>', 'Host SRV01\nOS Windows'],
  ['<table><tr><td><p>a</p><p>b</p></td></tr></table>c', 'a\nb\nc'],
  ['<div style="d\\69splay:none">Preview<br><b>of</b> it</div><p>a</p>', 'a'],
  ['a<span hidden>b <span hidden>c</span> d</span> <img hidden alt="e">f', 'a f'],
  ['<p style="font-size:0">a <del>b</del></p><p style="display:block">c</p>', 'a b\nc'],
  ['', ''],
])('reads %j as plain lines', (html, text) => expect(convertHtmlToText(html)).toBe(text))

it('reads elements that are nested too deeply up to there', () => {
  expect(convertHtmlToText(`a${'<div>b'.repeat(100_000)}`)).toBe(`a${'\nb'.repeat(200)}`)
})
