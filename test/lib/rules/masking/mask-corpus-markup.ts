import { readSecretLines } from './mask-lines.ts'

// Tables, XML, JSON, YAML, ini and .env. The secrets stand between ⟦ and ⟧.

export const markupLines = readSecretLines(String.raw`
| Password | ⟦Tab!Pw001⟧ |
| **Password** | ⟦Tab!Pw002⟧ |
| Wi-Fi password | ⟦tabellarisch⟧ |
|Password|⟦Tab!Pw003⟧|
| admin | Password | ⟦Tab!Pw004⟧ |
| User | Password |␤|---|---|␤| ann | ⟦Tab!Pw005⟧ |␤| bob | ⟦Tab!Pw006⟧ |
| Host | IP | Login | PW | Note |␤|:--|---|---|--:|---|␤| sw1 | - | admin | ⟦Tab!Pw007⟧ | old |
| Service | API key |␤| --- | --- |␤| mail | ⟦tabkey0099⟧ |
| Dienst | Kennwort |␤|---|---|␤| VPN | ⟦Tab!Pw008⟧ |
| Utilisateur | Mot de passe |␤|---|---|␤| anne | ⟦Tab!Pw009⟧ |
User␉Password␤ann␉⟦Tab!Pw010⟧␤bob␉⟦Tab!Pw011⟧
Password␉⟦Tab!Pw012⟧
Host␉User␉Pass␉Port␤sw1␉adm␉⟦Tab!Pw013⟧␉22
Name;Benutzer;Kennwort␤VPN;anna;⟦Tab!Pw014⟧
user,password,host␤ann,⟦Tab!Pw015⟧,sw1␤bob,⟦Tab!Pw016⟧,sw2
"url","username","password"␤"https://x.example.com","ann","⟦Tab!Pw017⟧"
name,url,username,password,note␤x,https://x.example.com,ann,⟦Tab!Pw018⟧,
Title,Username,Password,URL,Notes␤"Router","admin","⟦Tab, Pw019⟧","","first floor"
host,snmp_community␤sw1,⟦tabcomm20⟧
User      Password      Host␤--------  ------------  ----␤ann       ⟦Tab!Pw021⟧    sw1
Username : ann␤Password : ⟦Tab!Pw022⟧
Username:    ann␤Password:    ⟦Tab!Pw023⟧␤Host:        sw1
Login ........ ann␤Password ..... ⟦Tab!Pw024⟧
<password>⟦Xml!Pw001⟧</password>
<Password>⟦Xml!Pw002⟧</Password>
<ns:password xmlns:ns="x">⟦Xml!Pw003⟧</ns:password>
<password type="plain">⟦Xml!Pw004⟧</password>
<AdministratorPassword>␤  <Value>⟦Xml!Pw005⟧</Value>␤  <PlainText>true</PlainText>␤</AdministratorPassword>
<AdminPassword><![CDATA[⟦Xml!Pw006⟧]]></AdminPassword>
<apiKey>⟦xmlkey0007⟧</apiKey>
<clientSecret>⟦xmlsecret8⟧</clientSecret>
<keyMaterial>⟦xmlWlan009⟧</keyMaterial>
<sharedKey><protected>false</protected><keyMaterial>⟦xmlWlan010⟧</keyMaterial></sharedKey>
<user name="ann" password="⟦Xml!Pw011⟧"/>
<user name="ann" password='⟦Xml!Pw012⟧' roles="x"/>
<add key="Password" value="⟦Xml!Pw013⟧"/>
<add key="SmtpPassword" value="⟦Xml!Pw014⟧" />
<add name="db" connectionString="Server=db1;User Id=app;Password=⟦Xml!Pw015⟧"/>
<param name="password">⟦Xml!Pw016⟧</param>
<property name="javax.persistence.jdbc.password" value="⟦Xml!Pw017⟧"/>
<entry key="password">⟦Xml!Pw018⟧</entry>
<key>WiFiPassword</key>␤<string>⟦Xml!Pw019⟧</string>
<key>Password</key><string>⟦Xml!Pw020⟧</string>
<string name="api_token">⟦xmltoken21⟧</string>
<Properties password="⟦Xml!Pw022⟧" cpassword="⟦‹word:40›⟧" userName="adm"/>
<td>Password</td><td>⟦Xml!Pw023⟧</td>
<tr><th>Password</th><td>⟦Xml!Pw024⟧</td></tr>
<dt>Password</dt><dd>⟦Xml!Pw025⟧</dd>
<b>Password:</b> ⟦Xml!Pw026⟧<br>
<strong>Password</strong>: ⟦Xml!Pw027⟧
Password:&nbsp;⟦Xml!Pw028⟧
<input type="password" name="pw" value="⟦Xml!Pw029⟧">
{"password":"⟦Json!Pw01⟧"}
{"password": "⟦Json!Pw02⟧", "user": "ann"}
{"user": {"name": "ann", "pass": "⟦Json!Pw03⟧"}}
{"db_password":"⟦Json!Pw04⟧"}
{"pin": ⟦4488⟧}
{"pin": "⟦4489⟧"}
{"otp":"⟦448811⟧"}
{"secret":"⟦json-s3cret⟧"}
{"apiKey":"⟦jsonkey007⟧"}
{"api-key": "⟦jsonkey008⟧"}
{"auth":{"user":"a","pass":"⟦Json!Pw09⟧"}}
{"auths":{"registry.example.com":{"auth":"⟦‹word:24›==⟧"}}}
{"passwords":["⟦Json!Pw10⟧","⟦Json!Pw11⟧"]}
{"credentials":{"login":"ann","value":"⟦Json!Pw12⟧"}}
{"key":"API key","value":"⟦jsonkey013⟧"}
{"label":"Password","value":"⟦Json!Pw14⟧"}
{"name":"password","value":"⟦Json!Pw15⟧"}
{"value":"⟦Json!Pw16⟧","name":"password"}
{ "Key": "DB_PASSWORD", "Value": "⟦Json!Pw17⟧" }
[{"name":"user","value":"ann"},{"name":"password","value":"⟦Json!Pw18⟧"}]
{"field":"Wifi password","answer":"⟦Json!Pw19⟧"}
{"title":"Initial password","content":"⟦Json!Pw20⟧"}
{\"password\":\"⟦Json!Pw21⟧\"}
{'password': '⟦Json!Pw22⟧'}
{"password":␤  "⟦Json!Pw23⟧"}
password: ⟦Yaml!Pw01⟧
password: "⟦Yaml Pw 02⟧"
  db_password: ⟦Yaml!Pw03⟧
    - password: ⟦Yaml!Pw04⟧
smtp:␤  user: relay␤  pass: ⟦Yaml!Pw05⟧
env:␤  - name: DB_PASSWORD␤    value: ⟦Yaml!Pw06⟧
env:␤  - name: API_TOKEN␤    value: "⟦yamltoken7⟧"
stringData:␤  token: ⟦yamltoken8⟧
data:␤  password: ⟦WWFtbCFQdzA5⟧
password: |␤  ⟦Yaml!Pw10⟧
password: >-␤  ⟦Yaml!Pw11⟧
ansible_ssh_pass: ⟦Yaml!Pw12⟧
vault_password: !vault |␤  $ANSIBLE_VAULT;1.1;AES256␤  ⟦‹digit:80›⟧
wifi: {ssid: Office, psk: ⟦yamlpsk013⟧}
api_key: ⟦yamlkey014⟧
[mysql]␤user=root␤password=⟦Ini!Pw001⟧
[smtp]␤Password = ⟦Ini!Pw002⟧
password=⟦Ini!Pw003⟧
pass = ⟦Ini!Pw004⟧
DBPassword=⟦Ini!Pw005⟧
db.password=⟦Ini!Pw006⟧
spring.mail.password=⟦Ini!Pw007⟧
server.ssl.key-store-password=⟦Ini!Pw008⟧
"password"="⟦Ini!Pw009⟧"
"DefaultPassword"="⟦Ini!Pw010⟧"
DB_PASSWORD=⟦Env!Pw001⟧
DB_PASS=⟦Env!Pw002⟧
MYSQL_PWD=⟦Env!Pw003⟧
POSTGRES_PASSWORD="⟦Env Pw 004⟧"
export SECRET_KEY='⟦env-secret-5⟧'
SECRET_KEY_BASE=⟦‹hex:64›⟧
APP_KEY=base64:⟦‹word:43›=⟧
API_TOKEN=⟦envtoken007⟧
ACCESS_KEY=⟦envaccess08⟧
SMTP_PASS=⟦Env!Pw009⟧
MAIL_PASSWORD=⟦Env!Pw010⟧
REDIS_URL=redis://:⟦EnvPw011⟧@cache1:6379
ENCRYPTION_KEY=⟦env-enc-k3y⟧
SNMP_COMMUNITY=⟦envcomm013⟧
WIFI_PSK=⟦envpsk0014⟧
COMMUNITY="⟦envcomm015⟧"
define( 'DB_PASSWORD', '⟦Php!Pw001⟧' );
$cfg['blowfish_secret'] = '⟦php-blow-2⟧';
$db_pass = '⟦Php!Pw003⟧';
'password' => '⟦Php!Pw004⟧',
password := "⟦Go!Pw0001⟧"
var password = "⟦Js!Pw0001⟧";
const apiKey = '⟦jskey00002⟧'
client = Client(user="ann", password="⟦Py!Pw0001⟧")
auth=("ann", "⟦Py!Pw0002⟧")
requests.get(url, auth=('ann', '⟦Py!Pw0003⟧'))
os.environ["DB_PASSWORD"] = "⟦Py!Pw0004⟧"
private static final String PASSWORD = "⟦Java!Pw01⟧";
`)

/** Labels of the generated forms. */
export const secretLabels = [
  ...[
    'Password',
    'Initial password',
    'Wi-Fi password',
    'Local admin password',
    'Gästepasswort',
    'New password',
    'pwd',
    'pass',
  ],
  ...[
    'passwd',
    'Passcode',
    'API key',
    'api_key',
    'apiKey',
    'API token',
    'Access token',
    'Auth token',
    'Secret',
    'Client secret',
    'clientSecret',
  ],
  ...[
    'Shared secret',
    'Secret key',
    'Private key',
    'Encryption key',
    'Recovery key',
    'License key',
    'Product key',
    'PSK',
    'WPA2 key',
    'Wi-Fi key',
  ],
  ...[
    'Pre-shared key',
    'preSharedKey',
    'SNMP community',
    'Community string',
    'PIN',
    'Door PIN',
    'OTP',
    'MFA code',
    'Verification code',
    'Security code',
  ],
  ...[
    'Passwort',
    'Kennwort',
    'WLAN-Passwort',
    'WLAN-Schlüssel',
    'Zugangsdaten',
    'Mot de passe',
    'mdp',
    'Clé wifi',
    'Contraseña',
    'Clave',
  ],
  ...[
    'Wachtwoord',
    'Senha',
    'Palavra-passe',
    'Hasło',
    'Lösenord',
    'Пароль',
    'パスワード',
    '密码',
    'Credentials',
    'db.password',
    'ADMIN_PASSWORD',
  ],
]
