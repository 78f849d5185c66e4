; Inno Setup's script of a Windows installer for the one-folder bundle. Never run: no Windows was to be had where it was
; written. On Windows, with Python 3.11 and in the project's folder:
;   py -m venv build\env
;   build\env\Scripts\pip install --no-deps --require-hashes -r packaging\requirements.lock -r packaging\requirements-build.lock
;   build\env\Scripts\python packaging\prune.py
;   build\env\Scripts\python -m PyInstaller --noconfirm --distpath build\bundle --workpath build\pyinstaller packaging\palimpsest.spec
;   iscc /DVersion=0.1.0 packaging\windows.iss

#ifndef Version
  #error Say the version: iscc /DVersion=...
#endif

[Setup]
AppId={{7C2B6E0B-6C2E-4D8B-9B0A-5B2B8D0E7A51}
AppName=Palimpsest
AppVersion={#Version}
AppPublisher=The Palimpsest authors
DefaultDirName={autopf}\Palimpsest
DefaultGroupName=Palimpsest
DisableProgramGroupPage=yes
; Without an administrator's rights it is installed for one user.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\LICENSE
OutputDir=..\dist
OutputBaseFilename=palimpsest-{#Version}-setup
Compression=lzma2
SolidCompression=yes
CloseApplications=yes

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[InstallDelete]
; A newer version has other files; what the user said is elsewhere, in %LOCALAPPDATA%\palimpsest.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\build\bundle\palimpsest\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Palimpsest"; Filename: "{app}\palimpsest.exe"

[Run]
Filename: "{app}\palimpsest.exe"; Description: "{cm:LaunchProgram,Palimpsest}"; Flags: nowait postinstall skipifsilent
