import { readSecretLines } from './mask-lines.ts'

// Shell history of Linux, Windows and PowerShell. The secrets stand between ⟦ and ⟧.

export const shellLines = readSecretLines(String.raw`
net user maya ⟦N3wP@ss!⟧ /domain
net user maya ⟦N3wP@ss!⟧ /add /passwordchg:no
net user "maya lee" ⟦Qu0ted-9⟧
C:\> net user guest ⟦Gu3st.Pw⟧ /active:yes
NET USER Administrator ⟦Adm!n2026⟧
net use \\fs01\c$ /user:CONTOSO\adm ⟦Sh4re!Adm⟧
net use \\fs01\c$ ⟦Sh4re!Two⟧ /user:adm /persistent:yes
net use x: \\fs01\data /u:adm ⟦Sh4re!3⟧
psexec \\ws01 -u adm -p ⟦Rem0te!x⟧ cmd.exe
PsExec64.exe -accepteula \\ws01 -u CONTOSO\adm -p "⟦Rem0te two⟧" ipconfig
psloglist \\srv1 -u adm -p ⟦Ps1og!9⟧
wmic /node:ws01 /user:adm /password:"⟦Wm!c Pass⟧" process list
winrs -r:ws01 -u:adm -p:⟦W1nrs!9⟧ hostname
sqlcmd -S db01 -U sa -P ⟦Sql!Sa99⟧
sqlcmd -S db01 -U sa -P"⟦Sql Sa 98⟧" -i x.sql
sqlcmd -Usa -P⟦Sql!Sa97⟧ -Q "go"
osql -S db01 -U sa -P ⟦0sql!Sa⟧
bcp shop..t out t.dat -U sa -P ⟦Bcp!Sa99⟧
isql -U sa -P ⟦1sql!Sa⟧
sqlplus scott/⟦t1ger99⟧@orcl
sqlplus system/"⟦Or4cle!9⟧"@db1 as sysdba
mysql -u root -p⟦Sup3rRoot⟧
mysql -uroot -p'⟦Sup3r R00t⟧' shop
mysql -h db1 -u app --password='⟦App!Db9⟧'
mysqladmin -u root password '⟦N3wRoot!⟧'
mysqladmin -u root -p⟦0ldRoot9⟧ password ⟦N3wRoot9⟧
mariadb -u root -p⟦Mar1aRoot⟧ < dump.sql
mongo admin -u root -p ⟦M0ngo!9⟧
mongodump --host db1 -u root --password ⟦M0ngo!8⟧
PGPASSWORD='⟦Pg!Pass9⟧' pg_dump shop
export PGPASSWORD=⟦pgExp0rt⟧
set PGPASSWORD=⟦pgWindows1⟧
sshpass -p ⟦Ssh!Pass9⟧ ssh adm@web01
sshpass -p "⟦Ssh Pass 8⟧" scp a adm@web01:/tmp
SSHPASS=⟦Ssh!Env7⟧ sshpass -e ssh adm@web01
curl -u adm:⟦Curl!Pw9⟧ https://api.example.com
curl --user "adm:⟦Curl Pw 8⟧" https://api.example.com
curl -uadm:⟦Curl!Pw7⟧ https://api.example.com
curl -H 'X-Api-Key: ⟦‹hex:32›⟧' https://api.example.com
curl -H "Authorization: Token ⟦‹hex:40›⟧" https://api.example.com
curl -d 'grant_type=password&username=ann&password=⟦Gr4nt!Pw⟧' https://api.example.com/token
curl -d '{"user":"ann","password":"⟦Js0n!Pw⟧"}' https://api.example.com/login
wget --user=ann --password='⟦Wget!Pw9⟧' https://files.example.com/a
wget --ftp-password=⟦Wget!Ftp⟧ ftp://files.example.com/a
http -a ann:⟦Httpie!9⟧ https://api.example.com
lftp -u ann,⟦Lftp!Pw9⟧ ftp.example.com
ftp> user ann ⟦Ftp!User9⟧
schtasks /create /tn Job /tr c:\j.cmd /sc once /st 10:00 /ru CONTOSO\svc /rp ⟦Sch!Task9⟧
schtasks /change /tn Job /RU svc /RP "⟦Sch Task 8⟧"
sc config Spooler obj= CONTOSO\svc password= ⟦Sc!Conf9⟧
sc.exe create Agent binPath= c:\a.exe obj= .\svc password= "⟦Sc Create 8⟧"
cmdkey /add:fs01 /user:adm /pass:⟦Cmd!Key9⟧
cmdkey /generic:TERMSRV/ts01 /user:adm /pass:"⟦Cmd Key 8⟧"
runas /user:adm /savecred cmd ⟦Run!As99⟧
echo ⟦Run!As98⟧ | runas /user:adm cmd
netdom join ws01 /domain:contoso /userd:adm /passwordd:⟦Net!Dom9⟧
netdom resetpwd /s:dc1 /ud:adm /pd:⟦Net!Dom8⟧
dsadd user "cn=ann,dc=contoso" -pwd ⟦Ds!Add99⟧ -mustchpwd yes
dsmod user "cn=ann,dc=contoso" -pwd ⟦Ds!Mod99⟧
wsl -u root -- echo "ann:⟦Wsl!Pw99⟧" | chpasswd
djoin /requestodj /loadfile x /windowspath c:\ ; $pw="⟦Dj0in!Pw⟧"
vssadmin list shadows & set PASSWORD=⟦Batch!Pw9⟧
set "DB_PASS=⟦Batch!Pw8⟧"
setx API_KEY ⟦setx-k3y-99⟧
reg add "HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon" /v DefaultPassword /t REG_SZ /d ⟦Auto!Log9⟧
msiexec /i agent.msi SERVER=rmm TOKEN=⟦rmmT0ken99⟧ /qn
msiexec /i agent.msi /qn CUSTOMERKEY=⟦cust-k3y-99⟧
setup.exe /S /PASSWORD=⟦Setup!Pw9⟧
AnyDesk.exe --set-password ⟦Any!Desk9⟧
echo ⟦Any!Desk8⟧ | anydesk.exe --set-password
manage-bde -unlock C: -RecoveryPassword ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧
manage-bde -unlock C: -rp ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧
slmgr /ipk ⟦W269N-WFGWX-YVC9B-4J6C9-T83GX⟧
cscript ospp.vbs /inpkey:⟦NMMKJ-6RK4F-KMJVX-8D9MJ-6MWKP⟧
$pass = "⟦Ps!Pass99⟧"
$pw='⟦Ps!Pw98⟧'
$Password = ConvertTo-SecureString "⟦Ps!Secure9⟧" -AsPlainText -Force
$sec = ConvertTo-SecureString -String '⟦Ps!Secure8⟧' -AsPlainText -Force
$sec = "⟦Ps!Piped9⟧" | ConvertTo-SecureString -AsPlainText -Force
$adminPwd = @"␤⟦Ps!Here99⟧␤"@
[string]$userPassword = '⟦Ps!Typed9⟧'
$env:API_TOKEN = "⟦ps-env-t0ken⟧"
$creds = @{ User = 'ann'; Password = '⟦Ps!Hash99⟧' }
$body = @{ client_secret = '⟦Ps!Client9⟧'; grant_type = 'client_credentials' }
New-LocalUser ann -Password (ConvertTo-SecureString '⟦Ps!Local9⟧' -AsPlainText -Force)
Set-LocalUser -Name ann -Password ("⟦Ps!Local8⟧" | ConvertTo-SecureString -AsPlainText -Force)
Set-MsolUserPassword -UserPrincipalName ann -NewPassword ⟦Ps!Msol99⟧
Set-AzureADUserPassword -ObjectId 1 -Password ⟦Ps!Aad999⟧
Update-MgUser -UserId ann -PasswordProfile @{ Password = "⟦Ps!Mg9999⟧" }
[Net.NetworkCredential]::new('ann', '⟦Ps!Net999⟧')
New-Object System.Net.NetworkCredential("ann", "⟦Ps!Net998⟧")
New-Object System.Management.Automation.PSCredential('ann', (ConvertTo-SecureString "⟦Ps!Cred9⟧" -AsPlainText -Force))
Invoke-Sqlcmd -ServerInstance db01 -Username sa -Password '⟦Ps!Sql999⟧'
Connect-VIServer vc01 -User adm -Password ⟦Ps!Vi9999⟧
Unlock-BitLocker -MountPoint C: -RecoveryPassword ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧
Export-PfxCertificate -Cert $c -FilePath c.pfx -Password ⟦Ps!Pfx999⟧
echo 'ann:⟦Ch!Passwd9⟧' | sudo chpasswd
echo -e "⟦Pass!wd99⟧\n⟦Pass!wd99⟧" | passwd ann
echo "⟦Std!in999⟧" | sudo -S apt update
printf '⟦Std!in998⟧' | docker login -u ci --password-stdin
usermod -p '⟦$6$salt$hashhashhash⟧' ann
useradd -m -p ⟦Us3rAdd!⟧ ann
mkpasswd -m sha-512 ⟦Mk!Passwd9⟧
openssl passwd -6 ⟦Ssl!Passwd9⟧
openssl enc -aes-256-cbc -k ⟦Ssl!Enc999⟧ -in a
openssl rsa -in k.pem -passin pass:⟦Ssl!Pass99⟧
openssl pkcs12 -export -out c.pfx -passout pass:⟦Ssl!Out999⟧
keytool -list -keystore k.jks -storepass ⟦Key!Tool9⟧
keytool -genkey -keypass ⟦Key!Pass9⟧ -storepass ⟦Key!Store9⟧
ssh-keygen -t rsa -N "⟦Ssh!Gen999⟧" -f id
gpg --batch --passphrase ⟦Gpg!Pass9⟧ -d a.gpg
htpasswd -bc .htpasswd ann ⟦Ht!Passwd9⟧
ldapsearch -x -D "cn=adm" -w ⟦Ldap!Bind9⟧
ldapmodify -D cn=adm -w '⟦Ldap Mod 8⟧' -f a.ldif
smbclient //fs01/x -U ann%⟦Smb!Cli99⟧
smbclient //fs01/x ⟦Smb!Cli98⟧ -U ann
rpcclient -U 'ann%⟦Rpc!Cli99⟧' dc1
mount -t cifs //fs01/x /mnt -o user=ann,pass=⟦Cifs!M99⟧
mount.cifs //fs01/x /mnt -o username=ann,password='⟦Cifs!M98⟧',vers=3.0
echo "//fs01/x /mnt cifs username=ann,password=⟦Fst4b!99⟧ 0 0" >> /etc/fstab
7z a -p⟦Seven!Z99⟧ a.7z x
7za x -p"⟦Seven Z 98⟧" a.7z
zip -P ⟦Zip!Pass9⟧ a.zip x
unzip -P ⟦Unz!Pass9⟧ a.zip
unrar x -p⟦Unr4r!99⟧ a.rar
rar a -hp⟦R4r!Pass⟧ a.rar x
redis-cli -a ⟦Red!sCli9⟧ ping
redis-cli --pass ⟦Red!sCli8⟧ ping
AUTH ⟦Red!sAuth9⟧
CONFIG SET requirepass ⟦Red!sReq9⟧
requirepass ⟦Red!sConf9⟧
docker login -u ci -p ⟦Dock!Log9⟧
docker run -e MYSQL_ROOT_PASSWORD=⟦Dock!Env9⟧ mysql
podman login --username ci --password ⟦Pod!Log99⟧ quay.io
helm install x --set auth.password=⟦Helm!Set9⟧
kubectl create secret docker-registry r --docker-username=ci --docker-password=⟦K8s!Reg99⟧
kubectl create secret generic x --from-literal=token=⟦k8sT0ken99⟧
kubectl config set-credentials adm --token=⟦‹word:40›⟧
vault login ⟦s.‹word:24›⟧
vault kv put secret/db password=⟦V4ult!Kv⟧
VAULT_TOKEN=⟦hvs.‹word:90›⟧ vault status
aws configure set aws_secret_access_key ⟦‹word:40›⟧
az login -u ann@contoso.com -p ⟦Az!Login9⟧
az login --service-principal -u app -p "⟦‹word:34›⟧" --tenant t
az ad sp create --password ⟦Az!Sp9999⟧
az storage blob list --account-name a --account-key ⟦‹word:86›==⟧
gcloud sql users set-password root --password=⟦Gcl0ud!9⟧
doctl auth init -t ⟦dop_v1_‹hex:64›⟧
git clone https://ann:⟦Git!Clone9⟧@git.example.com/x.git
git remote set-url origin https://oauth2:⟦glpat-‹word:20›⟧@git.example.com/x.git
npm config set //registry.npmjs.org/:_authToken ⟦npm_‹word:36›⟧
//registry.example.com/:_authToken=⟦‹hex:36›⟧
//registry.example.com/:_password="⟦‹word:24›==⟧"
machine git.example.com login ann password ⟦Net!Rc999⟧
nmcli dev wifi connect Office password ⟦Nm!Wifi99⟧
nmcli con modify Office wifi-sec.psk "⟦Nm!Wifi98⟧"
wpa_passphrase Office ⟦Wpa!Phr99⟧
netsh wlan set hostednetwork mode=allow ssid=x key=⟦Netsh!Key9⟧
Key Content            : ⟦Wl4n!Show9⟧
networksetup -setairportnetwork en0 Office ⟦Mac!Wifi9⟧
security add-generic-password -a ann -s x -w ⟦Mac!Key99⟧
security unlock-keychain -p ⟦Mac!Key98⟧ login.keychain
dscl . -passwd /Users/ann ⟦Mac!Dscl9⟧
sysadminctl -addUser ann -password ⟦Mac!Sys99⟧
plink -batch adm@web01 -pw ⟦Pl!nk9999⟧ ls
pscp -pw ⟦Pscp!9999⟧ a adm@web01:/tmp
putty.exe -ssh adm@sw1 -pw ⟦Putty!999⟧
xfreerdp /u:ann /p:⟦Fr33rdp!9⟧ /v:ts01
rdesktop -u ann -p ⟦Rdesk!999⟧ ts01
vncviewer -passwd ⟦Vnc!99999⟧ ws01
x11vnc -passwd ⟦X11!99999⟧
impacket-secretsdump contoso/adm:⟦Imp4cket!⟧@dc1
evil-winrm -i dc1 -u adm -p ⟦Ev!lWin9⟧
crackmapexec smb dc1 -u adm -p ⟦Cme!99999⟧
crackmapexec smb dc1 -u adm -H ⟦‹hex:32›⟧
ipmitool -I lanplus -H bmc1 -U root -P ⟦Ipm!Tool9⟧ power status
racadm set iDRAC.Users.2.Password ⟦R4cadm!99⟧
hponcfg -f x.xml -s user_pass=⟦Hp!Oncfg9⟧
esxcli system account set -i root -p ⟦Esx!Cli99⟧ -c ⟦Esx!Cli99⟧
veeamconfig vbrserver add --name v --login adm --password ⟦V33am!999⟧
snmpwalk -v2c -c ⟦walkComm9⟧ sw1
snmpget -v 2c -c ⟦getComm99⟧ sw1 sysName.0
snmpwalk -v3 -u ops -A ⟦Snmp!Auth⟧ -X ⟦Snmp!Priv⟧ sw1
radtest ann ⟦Rad!Test9⟧ 10.1.1.8 0 ⟦rad-sec-99⟧
ansible all -e "ansible_password=⟦Ans!ble99⟧"
ansible-vault encrypt_string '⟦Ans!Vault⟧' --name db_password
rclone obscure ⟦Rcl0ne!99⟧
restic -r s3:x --password-command "echo ⟦Rest!c999⟧" backup
RESTIC_PASSWORD=⟦Rest!c998⟧ restic snapshots
borg init; export BORG_PASSPHRASE='⟦B0rg!9999⟧'
CREATE USER 'app'@'%' IDENTIFIED BY '⟦Sql!Ident⟧';
ALTER USER app WITH PASSWORD '⟦Pg!Alter9⟧';
ALTER LOGIN sa WITH PASSWORD = N'⟦Ms!Login9⟧';
CREATE LOGIN app WITH PASSWORD='⟦Ms!Create⟧', CHECK_POLICY=OFF;
SET PASSWORD FOR 'root'@'localhost' = PASSWORD('⟦My!SetPw9⟧');
GRANT ALL ON *.* TO 'app' IDENTIFIED BY '⟦My!Grant9⟧';
UPDATE users SET password = '⟦Upd!Pw999⟧' WHERE id = 1;
`)
