# Speaks the protocol of Testcontainers' Ryuk: each line on port 8080 is a filter of labels, each is
# answered with ACK; when the last connection has ended for a while, containers that a filter
# chooses are removed through Docker's socket.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;

$| = 1;
my $patience_s = 1;
my $door = IO::Socket::INET->new(LocalPort => 8080, Listen => 5, ReuseAddr => 1) or die $!;
my $waiting = IO::Select->new($door);
my %filters;
print "$$ Started!\n";

while (1) {
    my @ready = $waiting->can_read($patience_s);
    last if !@ready && %filters && $waiting->count == 1;
    for my $one (@ready) {
        if ($one == $door) {
            $waiting->add($door->accept);
        } elsif (defined(my $line = <$one>)) {
            $line =~ s/\s+$//;
            print "filter $line\n";
            $filters{$line} = 1;
            print $one "ACK\n";
        } else {
            $waiting->remove($one);
            close $one;
        }
    }
}

for my $filter (keys %filters) {
    my @labels = map { s/^label=//r } split /&/, $filter;
    my $chosen = '{"label":[' . join(',', map { qq("$_") } @labels) . ']}';
    $chosen =~ s/([^A-Za-z0-9])/sprintf('%%%02X', ord $1)/ge;
    my $found = docker("GET", "/containers/json?all=1&filters=$chosen");
    docker("DELETE", "/containers/$1?force=1&v=1") while $found =~ /"Id":"([0-9a-f]{64})"/g;
}

sub docker {
    my ($method, $path) = @_;
    my $engine = IO::Socket::UNIX->new("/var/run/docker.sock") or die $!;
    print $engine "$method $path HTTP/1.0\r\n\r\n";
    local $/;
    return scalar <$engine>;
}
